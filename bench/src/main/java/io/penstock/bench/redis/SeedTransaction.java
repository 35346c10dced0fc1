package io.penstock.bench.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.TransactionResult;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ExecutionException;

/**
 * Reads under WATCH and writes in a transaction, and retries if another caller wrote in between.
 * WATCH applies to a connection, so each request in flight has its own.
 */
final class SeedTransaction implements SharedLimiter {
  private static final int MAX_ATTEMPTS = 20;

  private final RedisClient client;
  private final Deque<StatefulRedisConnection<String, String>> idle = new ConcurrentLinkedDeque<>();
  private final RedisLimits limits;

  SeedTransaction(String url, RedisLimits limits) {
    this.client = SeedClient.to(url);
    this.limits = limits;
  }

  @Override
  public void expect(int callers) {
    while (idle.size() < callers) {
      idle.push(connect());
    }
  }

  private StatefulRedisConnection<String, String> connect() {
    StatefulRedisConnection<String, String> connection = client.connect();
    // Sends a transaction in one write.
    connection.setAutoFlushCommands(false);
    return connection;
  }

  @Override
  public boolean tryAcquire(String key) throws GaveUpException {
    StatefulRedisConnection<String, String> pooled = idle.poll();
    StatefulRedisConnection<String, String> connection = pooled == null ? connect() : pooled;
    try {
      return attempts(connection, key);
    } finally {
      idle.push(connection);
    }
  }

  private boolean attempts(StatefulRedisConnection<String, String> connection, String key)
      throws GaveUpException {
    RedisAsyncCommands<String, String> commands = connection.async();
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      long now = System.currentTimeMillis();
      await(connection, commands.watch(key));
      SeedBucket bucket =
          SeedBucket.refilled(
              await(connection, commands.hmget(key, SeedBucket.TOKENS, SeedBucket.TIME)),
              limits,
              now);
      var unusedBegin = commands.multi();
      if (bucket.allows()) {
        var unusedWrite = commands.hset(key, bucket.charged());
      }
      var unusedExpiry = commands.pexpire(key, SeedBucket.TTL_MILLIS);
      TransactionResult done = await(connection, commands.exec());
      if (!done.wasDiscarded()) {
        return bucket.allows();
      }
    }
    throw new GaveUpException("conflict in each of " + MAX_ATTEMPTS + " attempts");
  }

  private static <T> T await(
      StatefulRedisConnection<String, String> connection, RedisFuture<T> reply) {
    connection.flushCommands();
    try {
      return reply.get();
    } catch (ExecutionException failed) {
      throw new IllegalStateException(failed.getCause());
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }

  @Override
  public void close() {
    SeedClient.close(client);
  }
}
