package io.penstock.spring;

import io.penstock.policy.Phase;
import io.penstock.policy.http.Gate;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.core.Authentication;
import org.springframework.web.server.WebFilter;

/** Configures the filters of a WebFlux application: one before Spring Security, one after it. */
@AutoConfiguration(after = PenstockAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass(WebFilter.class)
@ConditionalOnBean(Gate.class)
public class PenstockReactiveAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean
  WebFluxExchanges penstockExchanges(
      Gate gate, ObjectProvider<ReactiveAttributeResolver> resolvers) {
    List<ReactiveAttributeResolver> all = resolvers.orderedStream().toList();
    return new WebFluxExchanges(gate, all);
  }

  @Bean
  @ConditionalOnMissingBean(name = "penstockEarlyFilter")
  RateLimitWebFilter penstockEarlyFilter(
      WebFluxExchanges exchanges, PenstockProperties properties) {
    return new RateLimitWebFilter(exchanges, Phase.EARLY, properties.filter().earlyOrder());
  }

  @Bean
  @ConditionalOnMissingBean(name = "penstockLateFilter")
  RateLimitWebFilter penstockLateFilter(WebFluxExchanges exchanges, PenstockProperties properties) {
    return new RateLimitWebFilter(exchanges, Phase.LATE, properties.filter().lateOrder());
  }

  @Bean
  RateLimitedHandler penstockRateLimitedHandler(WebFluxExchanges exchanges) {
    return new RateLimitedHandler(exchanges);
  }

  /** The attributes from Spring Security. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(Authentication.class)
  static class ReactiveSecurityConfiguration {
    @Bean
    ReactiveAttributeResolver penstockAuthorities() {
      return exchange -> exchange.getPrincipal().map(Authorities::of);
    }
  }
}
