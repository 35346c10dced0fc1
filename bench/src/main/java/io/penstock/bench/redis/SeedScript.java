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

/** All of it in a script: one EVALSHA a request, all callers on one connection. */
final class SeedScript implements SharedLimiter {
  private final RedisClient client;
  private final RedisCommands<String, String> commands;
  private final String sha;
  private final String[] limits;

  SeedScript(String url, Terms terms) {
    this.client = SeedClient.to(url);
    this.commands = client.connect().sync();
    this.sha = commands.scriptLoad(read("token-bucket.lua"));
    this.limits =
        new String[] {
          "" + 1_000 * terms.tokensPerMilli(),
          "" + terms.burst,
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
            limits[0],
            limits[1],
            limits[2],
            limits[3]);
    return reply.get(0) == 1;
  }

  @Override
  public void close() {
    SeedClient.close(client);
  }

  private static String read(String resource) {
    try (InputStream file = SeedScript.class.getResourceAsStream(resource)) {
      return new String(
          Objects.requireNonNull(file, resource).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }
}
