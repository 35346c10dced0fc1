package io.penstock.bench.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;

/**
 * Reads, calculates and writes back, one command after the other, all callers on one connection.
 * Two that read the same grant the same token.
 */
final class SeedCommands implements SharedLimiter {
  private final RedisClient client;
  private final RedisCommands<String, String> commands;
  private final Terms terms;

  SeedCommands(String url, Terms terms) {
    this.client = SeedClient.to(url);
    this.commands = client.connect().sync();
    this.terms = terms;
  }

  @Override
  public boolean tryAcquire(String key) {
    long now = System.currentTimeMillis();
    SeedBucket bucket =
        SeedBucket.refilled(commands.hmget(key, SeedBucket.TOKENS, SeedBucket.TIME), terms, now);
    commands.hset(key, bucket.charged());
    commands.pexpire(key, SeedBucket.TTL_MILLIS);
    return bucket.allows();
  }

  @Override
  public void close() {
    SeedClient.close(client);
  }
}
