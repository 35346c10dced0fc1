package io.penstock.bench.redis;

import io.github.bucket4j.Bucket;
import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.distributed.proxy.ProxyManager;
import io.github.bucket4j.distributed.proxy.optimization.Optimization;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import io.lettuce.core.RedisClient;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Bucket4j on one connection of Lettuce, with keys that expire, as in its documentation. A bucket
 * is created once per key, as its batching requires.
 */
final class OnBucket4j implements SharedLimiter {
  private static final Duration EXTRA_TTL = Duration.ofSeconds(10);

  private final RedisClient client;
  private final ProxyManager<String> buckets;
  private final BucketConfiguration configuration;
  private final Optimization optimization;
  private final ConcurrentMap<String, Bucket> cache = new ConcurrentHashMap<>();

  OnBucket4j(String url, RedisLimits limits, Optimization optimization) {
    this.client = SeedClient.to(url);
    this.buckets =
        Bucket4jLettuce.casBasedBuilder(
                client.connect(RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE)))
            .expirationAfterWrite(
                ExpirationAfterWriteStrategy.basedOnTimeForRefillingBucketUpToMax(EXTRA_TTL))
            .build();
    this.configuration =
        BucketConfiguration.builder()
            .addLimit(
                limit -> limit.capacity(limits.burst).refillGreedy(limits.tokens, limits.period))
            .build();
    this.optimization = optimization;
  }

  @Override
  public boolean tryAcquire(String key) {
    return cache.computeIfAbsent(key, this::bucket).tryConsume(1);
  }

  private Bucket bucket(String key) {
    return buckets.builder().withOptimization(optimization).build(key, () -> configuration);
  }

  @Override
  public void close() {
    SeedClient.close(client);
  }
}
