package io.penstock.bench.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;

/**
 * Decides in the script of Spring Cloud Gateway, which is read from its jar: one EVALSHA per
 * request, with the keys and arguments of its RedisRateLimiter; all callers share a connection.
 */
final class GatewayScript implements SharedLimiter {
  private static final String SCRIPT = "/META-INF/scripts/request_rate_limiter.lua";

  private final RedisClient client;
  private final RedisCommands<String, String> commands;
  private final String sha;
  private final String[] arguments;

  GatewayScript(String url, RedisLimits limits) {
    this.client = SeedClient.to(url);
    this.commands = client.connect().sync();
    this.sha = commands.scriptLoad(SeedScript.read(SCRIPT));
    String perSecond = "" + limits.tokens / limits.period.toSeconds();
    // Without a time, the script reads the clock of Redis.
    this.arguments = new String[] {perSecond, "" + limits.burst, "", "1"};
  }

  @Override
  public boolean tryAcquire(String key) {
    String prefix = "request_rate_limiter.{" + key + "}.";
    List<Long> reply =
        commands.evalsha(
            sha,
            ScriptOutputType.MULTI,
            new String[] {prefix + "tokens", prefix + "timestamp"},
            arguments);
    return reply.get(0) == 1;
  }

  @Override
  public void close() {
    SeedClient.close(client);
  }
}
