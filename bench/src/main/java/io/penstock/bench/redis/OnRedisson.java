package io.penstock.bench.redis;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.redisson.Redisson;
import org.redisson.api.RRateLimiter;
import org.redisson.api.RateType;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * The rate limiter of Redisson. Its state is a set with an element for each permit of the last
 * interval. It has a rate and no burst.
 */
final class OnRedisson implements SharedLimiter {
  private final RedissonClient client;
  private final RedisLimits limits;
  private final ConcurrentMap<String, RRateLimiter> cache = new ConcurrentHashMap<>();

  OnRedisson(String url, RedisLimits limits) {
    Config config = new Config();
    int path = url.lastIndexOf('/');
    config
        .useSingleServer()
        .setAddress(url.substring(0, path))
        .setDatabase(Integer.parseInt(url.substring(path + 1)));
    this.client = Redisson.create(config);
    this.limits = limits;
  }

  @Override
  public boolean tryAcquire(String key) {
    return cache.computeIfAbsent(key, this::limiter).tryAcquire();
  }

  private RRateLimiter limiter(String key) {
    RRateLimiter limiter = client.getRateLimiter(key);
    limiter.trySetRate(RateType.OVERALL, limits.tokens, limits.period);
    return limiter;
  }

  @Override
  public void close() {
    client.shutdown();
  }
}
