package io.penstock.spring;

import io.lettuce.core.RedisClient;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.penstock.policy.Verdict;
import io.penstock.policy.http.GateObserver;
import io.penstock.policy.metrics.DecisionMeters;
import io.penstock.policy.metrics.JwtMeters;
import io.penstock.redis.RedisObserver;
import io.penstock.redis.metrics.StoreMeters;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Registers meters in the application's registry, with the names of the service. */
@AutoConfiguration(
    before = PenstockAutoConfiguration.class,
    afterName = {
      "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
      "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
    })
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean(MeterRegistry.class)
@ConditionalOnProperty(prefix = "penstock", name = "enabled", matchIfMissing = true)
public class PenstockMetricsAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean
  DecisionMeters penstockDecisionMeters(MeterRegistry registry) {
    return new DecisionMeters(registry);
  }

  @Bean
  @ConditionalOnMissingBean
  JwtMeters penstockJwtMeters(MeterRegistry registry) {
    return new JwtMeters(registry);
  }

  @Bean
  MinuteClock penstockMinuteClock(DecisionMeters meters) {
    return new MinuteClock(meters);
  }

  @Bean
  @ConditionalOnMissingBean(name = "penstockDecisionTimes")
  GateObserver penstockDecisionTimes(MeterRegistry registry) {
    Timer timer =
        Timer.builder("penstock.decision").description("Duration of decisions").register(registry);
    return new GateObserver() {
      @Override
      public void decided(Verdict verdict, long nanos) {
        timer.record(nanos, TimeUnit.NANOSECONDS);
      }
    };
  }

  /** The meters of the Redis store. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({RedisObserver.class, RedisClient.class})
  static class RedisMeters {
    @Bean
    @ConditionalOnMissingBean(RedisObserver.class)
    StoreMeters penstockStoreMeters(MeterRegistry registry) {
      return new StoreMeters(registry);
    }
  }
}
