package io.penstock.spring;

import io.penstock.policy.Phase;
import io.penstock.policy.http.Gate;
import io.penstock.servlet.AttributeResolver;
import io.penstock.servlet.RateLimitFilter;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import java.util.List;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.core.Authentication;
import org.springframework.web.servlet.HandlerExceptionResolver;

/** Configures the filters of a servlet application: one before Spring Security, one after it. */
@AutoConfiguration(after = PenstockAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(Filter.class)
@ConditionalOnBean(Gate.class)
public class PenstockServletAutoConfiguration {

  @Bean
  AsyncDispatches penstockAsyncDispatches(
      ListableBeanFactory beans, PenstockProperties properties) {
    PenstockProperties.Filter settings = properties.filter();
    return new AsyncDispatches(beans, settings.earlyOrder(), settings.async());
  }

  @Bean
  @ConditionalOnMissingBean(name = "penstockEarlyFilter")
  FilterRegistrationBean<RateLimitFilter> penstockEarlyFilter(
      Gate gate, PenstockProperties properties, AsyncDispatches dispatches) {
    return registered(
        new RateLimitFilter(gate, Phase.EARLY, List.of(), dispatches),
        properties.filter().earlyOrder());
  }

  /**
   * By default, the late filter keeps its thread: Spring Security and most earlier filters have
   * bound state to that thread, and would not do so again in a second dispatch.
   */
  @Bean
  @ConditionalOnMissingBean(name = "penstockLateFilter")
  FilterRegistrationBean<RateLimitFilter> penstockLateFilter(
      Gate gate, PenstockProperties properties, ObjectProvider<AttributeResolver> resolvers) {
    List<AttributeResolver> all = resolvers.orderedStream().toList();
    boolean async = Boolean.TRUE.equals(properties.filter().async());
    return registered(
        new RateLimitFilter(gate, Phase.LATE, all, () -> async), properties.filter().lateOrder());
  }

  private static FilterRegistrationBean<RateLimitFilter> registered(
      RateLimitFilter filter, int order) {
    FilterRegistrationBean<RateLimitFilter> registration = new FilterRegistrationBean<>(filter);
    registration.setDispatcherTypes(DispatcherType.REQUEST, DispatcherType.ASYNC);
    registration.setOrder(order);
    return registration;
  }

  /** Support for rate-limited methods in MVC. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(HandlerExceptionResolver.class)
  static class MethodsConfiguration {
    @Bean
    @ConditionalOnMissingBean(HandledRequest.class)
    ServletHandledRequest penstockHandledRequest(
        Gate gate, ObjectProvider<AttributeResolver> resolvers) {
      List<AttributeResolver> all = resolvers.orderedStream().toList();
      return new ServletHandledRequest(gate, all);
    }
  }

  /** The attributes from Spring Security. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(Authentication.class)
  static class ServletSecurityConfiguration {
    @Bean
    AttributeResolver penstockAuthorities() {
      return request -> Authorities.of(request.getUserPrincipal());
    }
  }
}
