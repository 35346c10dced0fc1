package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The rights that the documents name are enough for all that a limiter does. */
class RightsIT {
  private static final Path PAGE = Path.of("..", "docs", "redis.md");

  @Test
  void limiters_withTheDocumentedRights_doEverything() throws IOException {
    String line =
        Files.readAllLines(PAGE).stream()
            .map(String::strip)
            .filter(text -> text.startsWith("ACL SETUSER"))
            .findFirst()
            .orElseThrow();
    try (RedisProcess redis = RedisProcess.start()) {
      redis.with(
          commands -> {
            CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8);
            List.of(line.split(" ", -1)).stream().skip(1).forEach(args::add);
            return commands.dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), args);
          });
      RedisURI uri =
          RedisURI.builder(RedisURI.create(redis.url()))
              .withAuthentication("penstock", "password")
              .build();
      try (RedisStore store =
          RedisStore.builder()
              .deadline(Duration.ofSeconds(5))
              .startTimeout(Duration.ofSeconds(10))
              .connect(uri)) {
        for (Limit limit :
            List.of(
                Limit.perHour(10).burst(5),
                Limit.fixedWindow(5, Duration.ofHours(1)),
                Limit.slidingWindow(5, Duration.ofHours(1)),
                Limit.slidingLog(5, Duration.ofHours(1)))) {
          RateLimiter limiter = RateLimiter.on(store, "l" + limit.exceeded(), limit);
          for (int i = 0; i < 7; i++) {
            Decision decision = limiter.decide("k");
            assertThat(decision.degraded()).as("%s", limit).isFalse();
            assertThat(decision.allowed()).as("%s", limit).isEqualTo(i < 5);
          }
          limiter.reset("k");
          assertThat(limiter.tryAcquire("k")).isTrue();
        }
      }
    }
  }
}
