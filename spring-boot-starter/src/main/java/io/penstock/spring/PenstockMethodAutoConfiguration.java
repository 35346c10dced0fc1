package io.penstock.spring;

import io.penstock.policy.PolicyEngine;
import io.penstock.policy.http.Gate;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.springframework.aop.Advisor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.util.function.SingletonSupplier;

/** Configures methods annotated with {@link RateLimited}. */
@AutoConfiguration(
    after = {
      PenstockAutoConfiguration.class,
      PenstockServletAutoConfiguration.class,
      PenstockReactiveAutoConfiguration.class
    })
@ConditionalOnClass({Advisor.class, MethodInterceptor.class})
@ConditionalOnBean(Gate.class)
public class PenstockMethodAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean
  LimitedMethods penstockLimitedMethods(PolicyEngine engine, BeanFactory beans) {
    return new LimitedMethods(engine, beans);
  }

  @Bean
  LimitedMethodsCheck penstockLimitedMethodsCheck(
      ConfigurableListableBeanFactory beans, LimitedMethods methods) {
    return new LimitedMethodsCheck(beans, methods);
  }

  @Bean
  @ConditionalOnMissingBean
  RateLimitedAdvice.ReactiveCalls penstockReactiveCalls(BeanFactory beans, Gate gate) {
    return RateLimitedAdvice.hasPublishers()
        ? Publishers.calls(beans, gate)
        : (type, call, result) -> null;
  }

  /** Loaded only if Reactor is present. */
  private static final class Publishers {
    static RateLimitedAdvice.ReactiveCalls calls(BeanFactory beans, Gate gate) {
      return new PublisherCalls(
          gate,
          beans.getBeanProvider(HandledRequest.class).getIfAvailable(() -> HandledRequest.NONE),
          beans.getBeanProvider(WebFluxExchanges.class).getIfAvailable());
    }
  }

  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static Advisor penstockAdvisor(
      ObjectProvider<LimitedMethods> methods,
      ObjectProvider<Gate> gate,
      ObjectProvider<HandledRequest> handled,
      ObjectProvider<RateLimitedAdvice.ReactiveCalls> reactive) {
    Supplier<RateLimitedAdvice.CallParts> parts =
        SingletonSupplier.of(
            () ->
                new RateLimitedAdvice.CallParts(
                    methods.getObject(),
                    gate.getObject(),
                    handled.getIfAvailable(() -> HandledRequest.NONE),
                    reactive.getObject()));
    return new DefaultPointcutAdvisor(
        new AnnotationMatchingPointcut(null, RateLimited.class, true),
        new RateLimitedAdvice(parts));
  }
}
