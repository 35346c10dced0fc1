package io.penstock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.redis.RedisProcess;
import io.penstock.redis.RedisStore;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Tests connections of the factory with a real Redis. */
class FactoryConnectionsIT {
  @Test
  void store_factoryRestarted_recovers() {
    try (RedisProcess redis = RedisProcess.start()) {
      URI url = URI.create(redis.url());
      LettuceConnectionFactory factory = new LettuceConnectionFactory(url.getHost(), url.getPort());
      factory.afterPropertiesSet();
      try (RedisStore store =
          RedisStore.builder()
              .deadline(Duration.ofSeconds(2))
              .startTimeout(Duration.ofSeconds(10))
              .connect(new FactoryConnections(factory))) {
        RateLimiter limiter = RateLimiter.on(store, "a", Limit.perSecond(1000).burst(1000));
        awaitDecision(limiter);

        factory.stop();
        factory.start();

        awaitDecision(limiter);
      } finally {
        factory.destroy();
      }
    }
  }

  private static void awaitDecision(RateLimiter limiter) {
    long begin = System.nanoTime();
    while (limiter.decide("k", 1).degraded()) {
      assertThat(System.nanoTime() - begin).isLessThan(TimeUnit.SECONDS.toNanos(30));
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
  }
}
