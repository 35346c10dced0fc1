package io.penstock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.web.filter.CharacterEncodingFilter;

class AsyncDispatchesTest {
  private static final Filter PLAIN = (request, response, chain) -> {};

  private final DefaultListableBeanFactory beans = new DefaultListableBeanFactory();

  private boolean taken() {
    return new AsyncDispatches(beans, null).getAsBoolean();
  }

  @Test
  void dispatches_filtersThatTakeAll_areTaken() {
    beans.registerSingleton("once", new CharacterEncodingFilter());

    assertThat(taken()).isTrue();
  }

  @Test
  void dispatches_plainFilter_wouldPassItBy() {
    beans.registerSingleton("plain", PLAIN);

    assertThat(taken()).isFalse();
    assertThat(new AsyncDispatches(beans, true).getAsBoolean()).isTrue();
  }

  @Test
  void dispatches_registeredFilter_goByItsRegistration() {
    FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>(PLAIN);
    beans.registerSingleton("plain", PLAIN);
    beans.registerSingleton("registration", registration);

    assertThat(taken()).isFalse();

    registration.setDispatcherTypes(DispatcherType.REQUEST, DispatcherType.ASYNC);
    assertThat(taken()).isTrue();
  }
}
