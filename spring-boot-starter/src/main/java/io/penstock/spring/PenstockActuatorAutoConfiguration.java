package io.penstock.spring;

import io.penstock.Store;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.http.Gate;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Configures the actuator endpoint and the health indicator. */
@AutoConfiguration(after = PenstockAutoConfiguration.class)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean(Gate.class)
public class PenstockActuatorAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean
  @ConditionalOnAvailableEndpoint
  PenstockEndpoint penstockEndpoint(PolicyEngine engine, ObjectProvider<LivePolicy> live) {
    return new PenstockEndpoint(engine, live.getIfAvailable());
  }

  @Bean
  StoreHealth penstockStoreHealth(
      Store store, PolicyEngine engine, ObjectProvider<LivePolicy> live) {
    LivePolicy policy = live.getIfAvailable();
    return new StoreHealth(store, engine, policy == null ? List::of : policy::warnings);
  }

  /** The health indicator for Spring Boot 3. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(name = "org.springframework.boot.actuate.health.HealthIndicator")
  @ConditionalOnBooleanProperty(name = "management.health.penstock.enabled", matchIfMissing = true)
  static class Boot3 {
    @Bean
    @ConditionalOnMissingBean(name = "penstockHealthIndicator")
    org.springframework.boot.actuate.health.HealthIndicator penstockHealthIndicator(
        StoreHealth health) {
      return () ->
          org.springframework.boot.actuate.health.Health.up().withDetails(health.details()).build();
    }
  }

  /** The health indicator for Spring Boot 4. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(name = "org.springframework.boot.health.contributor.HealthIndicator")
  @ConditionalOnBooleanProperty(name = "management.health.penstock.enabled", matchIfMissing = true)
  static class Boot4 {
    @Bean
    @ConditionalOnMissingBean(name = "penstockHealthIndicator")
    org.springframework.boot.health.contributor.HealthIndicator penstockHealthIndicator(
        StoreHealth health) {
      return () ->
          org.springframework.boot.health.contributor.Health.up()
              .withDetails(health.details())
              .build();
    }
  }
}
