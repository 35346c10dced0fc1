package io.penstock.bench.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;

/**
 * Reads, calculates and writes back with separate commands; all callers share a connection. Two
 * callers that read the same state grant the same token.
 */
final class SeedCommands implements SharedLimiter {
  private final RedisClient client;
  private final RedisCommands<String, String> commands;
  private final RedisLimits limits;

  SeedCommands(String url, RedisLimits limits) {
    this.client = SeedClient.to(url);
    this.commands = client.connect().sync();
    this.limits = limits;
  }

  @Override
  public boolean tryAcquire(String key) {
    long now = System.currentTimeMillis();
    SeedBucket bucket =
        SeedBucket.refilled(commands.hmget(key, SeedBucket.TOKENS, SeedBucket.TIME), limits, now);
    commands.hset(key, bucket.charged());
    commands.pexpire(key, SeedBucket.TTL_MILLIS);
    return bucket.allows();
  }

  @Override
  public void close() {
    SeedClient.close(client);
  }
}
