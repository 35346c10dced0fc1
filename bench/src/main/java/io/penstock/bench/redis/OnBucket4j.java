package io.penstock.bench.redis;

import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.distributed.proxy.AsyncProxyManager;
import io.github.bucket4j.distributed.proxy.ProxyManager;
import io.github.bucket4j.distributed.proxy.optimization.Optimization;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import io.lettuce.core.RedisClient;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * Bucket4j on one connection of Lettuce, with keys that expire, as in its documentation. A bucket
 * is created once per key, as its optimizations require.
 */
final class OnBucket4j implements SharedLimiter {
  private static final Duration EXTRA_TTL = Duration.ofSeconds(10);

  private final RedisClient client;
  private final Function<String, BooleanSupplier> newBucket;
  private final ConcurrentMap<String, BooleanSupplier> cache = new ConcurrentHashMap<>();

  private OnBucket4j(RedisClient client, Function<String, BooleanSupplier> newBucket) {
    this.client = client;
    this.newBucket = newBucket;
  }

  static OnBucket4j sync(String url, RedisLimits limits, Optimization optimization) {
    RedisClient client = SeedClient.to(url);
    ProxyManager<String> buckets = buckets(client);
    BucketConfiguration configuration = configuration(limits);
    return new OnBucket4j(
        client,
        key -> {
          var bucket =
              buckets.builder().withOptimization(optimization).build(key, () -> configuration);
          return () -> bucket.tryConsume(1);
        });
  }

  /** Uses the asynchronous API; callers wait for the result. */
  static OnBucket4j async(String url, RedisLimits limits, Optimization optimization) {
    RedisClient client = SeedClient.to(url);
    AsyncProxyManager<String> buckets = buckets(client).asAsync();
    var configuration = CompletableFuture.completedFuture(configuration(limits));
    return new OnBucket4j(
        client,
        key -> {
          var bucket =
              buckets.builder().withOptimization(optimization).build(key, () -> configuration);
          return () -> bucket.tryConsume(1).join();
        });
  }

  private static ProxyManager<String> buckets(RedisClient client) {
    return Bucket4jLettuce.casBasedBuilder(
            client.connect(RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE)))
        .expirationAfterWrite(
            ExpirationAfterWriteStrategy.basedOnTimeForRefillingBucketUpToMax(EXTRA_TTL))
        .build();
  }

  private static BucketConfiguration configuration(RedisLimits limits) {
    return BucketConfiguration.builder()
        .addLimit(limit -> limit.capacity(limits.burst).refillGreedy(limits.tokens, limits.period))
        .build();
  }

  @Override
  public boolean tryAcquire(String key) {
    return cache.computeIfAbsent(key, newBucket).getAsBoolean();
  }

  @Override
  public void close() {
    SeedClient.close(client);
  }
}
