package io.penstock.redis;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** The script that registers and counts nodes. */
class PresenceIT {
  private static final String SCRIPT = new String(Script.presence().text(), StandardCharsets.UTF_8);

  private static long register(RedisCommands<String, String> redis, String node, String ttlMillis) {
    return redis.<Long>eval(
        SCRIPT, ScriptOutputType.INTEGER, new String[] {"nodes"}, node, ttlMillis);
  }

  @Test
  void register_anotherNodeIsGone_countFalls() {
    try (RedisProcess redis = RedisProcess.start()) {
      long nodes =
          redis.with(
              commands -> {
                assertThat(register(commands, "a", "60000")).isEqualTo(1);
                assertThat(register(commands, "b", "60000")).isEqualTo(2);
                long registered = System.nanoTime();
                await("longer than 50 ms")
                    .until(() -> System.nanoTime() - registered > 100_000_000);
                // The key itself has not expired, only node a.
                return register(commands, "b", "50");
              });
      assertThat(nodes).isEqualTo(1);
    }
  }
}
