package io.penstock.bench.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/** Decides in a script: one EVALSHA per request; all callers share a connection. */
final class SeedScript implements SharedLimiter {
  private final RedisClient client;
  private final RedisCommands<String, String> commands;
  private final String sha;
  private final String[] arguments;

  SeedScript(String url, RedisLimits limits) {
    this.client = SeedClient.to(url);
    this.commands = client.connect().sync();
    this.sha = commands.scriptLoad(read("token-bucket.lua"));
    this.arguments =
        new String[] {
          "" + 1_000 * limits.tokensPerMilli(),
          "" + limits.burst,
          "" + SeedBucket.COST,
          "" + SeedBucket.TTL_MILLIS
        };
  }

  @Override
  public boolean tryAcquire(String key) {
    List<Long> reply =
        commands.evalsha(
            sha,
            ScriptOutputType.MULTI,
            new String[] {key},
            "" + System.currentTimeMillis(),
            arguments[0],
            arguments[1],
            arguments[2],
            arguments[3]);
    return reply.get(0) == 1;
  }

  @Override
  public void close() {
    SeedClient.close(client);
  }

  static String read(String resource) {
    try (InputStream file = SeedScript.class.getResourceAsStream(resource)) {
      return new String(
          Objects.requireNonNull(file, resource).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }
}
