package io.penstock.samples;

import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.userdetails.MapReactiveUserDetailsService;
import org.springframework.security.core.userdetails.ReactiveUserDetailsService;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.web.server.SecurityWebFilterChain;

/** Authentication and authorization in WebFlux. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(name = "sample.security", matchIfMissing = true)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
class ReactiveSecurity {
  @Bean
  SecurityWebFilterChain security(ServerHttpSecurity http) {
    return http.authorizeExchange(
            to -> to.pathMatchers("/orders").authenticated().anyExchange().permitAll())
        .httpBasic(Customizer.withDefaults())
        .csrf(csrf -> csrf.disable())
        .build();
  }

  @Bean
  ReactiveUserDetailsService users() {
    return new MapReactiveUserDetailsService(
        User.withUsername("ann").password("{noop}tea").roles("FREE").build(),
        User.withUsername("bob").password("{noop}tea").roles("PRO").build());
  }
}
