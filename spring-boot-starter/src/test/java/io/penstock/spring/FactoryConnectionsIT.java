package io.penstock.spring;

import static io.penstock.testing.Waiting.await;

import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.redis.RedisProcess;
import io.penstock.redis.RedisStore;
import java.net.URI;
import java.time.Duration;
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
              .deadline(Duration.ofSeconds(10))
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
    await("exact").until(() -> !limiter.take("k", 1).degraded());
  }
}
