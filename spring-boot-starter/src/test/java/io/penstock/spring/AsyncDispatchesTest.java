package io.penstock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.web.filter.CharacterEncodingFilter;
import org.springframework.web.filter.ForwardedHeaderFilter;
import org.springframework.web.filter.OncePerRequestFilter;

class AsyncDispatchesTest {
  private static final int EARLY = PenstockProperties.Filter.EARLY;
  private static final Filter PLAIN = (request, response, chain) -> {};

  private final DefaultListableBeanFactory beans = new DefaultListableBeanFactory();

  private boolean taken() {
    return new AsyncDispatches(beans, EARLY, null).getAsBoolean();
  }

  @Test
  void dispatches_allFiltersSupportAsync_areUsed() {
    beans.registerSingleton("once", new CharacterEncodingFilter());

    assertThat(taken()).isTrue();
  }

  @Test
  void dispatches_plainFilter_areNotUsed() {
    beans.registerSingleton("plain", PLAIN);

    assertThat(taken()).isFalse();
    assertThat(new AsyncDispatches(beans, EARLY, true).getAsBoolean()).isTrue();
  }

  @Test
  void dispatches_registeredFilter_dependOnItsRegistration() {
    FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>(PLAIN);
    beans.registerSingleton("plain", PLAIN);
    beans.registerSingleton("registration", registration);

    assertThat(taken()).isFalse();

    registration.setDispatcherTypes(DispatcherType.REQUEST, DispatcherType.ASYNC);
    assertThat(taken()).isTrue();
  }

  @Test
  void dispatches_earlierFilterThatSkipsThem_areNotUsed() {
    FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>(new FirstOnly());
    registration.setOrder(EARLY - 1);
    beans.registerSingleton("registration", registration);
    assertThat(taken()).isFalse();

    registration.setOrder(EARLY + 1);
    assertThat(taken()).isTrue();

    registration.setFilter(new ForwardedHeaderFilter());
    registration.setOrder(EARLY - 1);
    assertThat(taken()).isTrue();
  }

  @Test
  void dispatches_earlierBeanThatSkipsThem_areNotUsed() {
    beans.registerSingleton("behind", new FirstOnly());
    assertThat(taken()).isTrue();

    beans.registerSingleton("inFront", new FirstOfAll());
    assertThat(taken()).isFalse();
  }

  static class FirstOnly extends OncePerRequestFilter {
    @Override
    protected void doFilterInternal(
        HttpServletRequest request, HttpServletResponse response, FilterChain chain) {}
  }

  @Order(Ordered.HIGHEST_PRECEDENCE)
  static class FirstOfAll extends FirstOnly {}
}
