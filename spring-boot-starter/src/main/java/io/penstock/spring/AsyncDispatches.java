package io.penstock.spring;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.web.servlet.AbstractFilterRegistrationBean;
import org.springframework.boot.web.servlet.FilterRegistration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Decides whether the early filter may hold requests and dispatch them again. It may not if a
 * filter of the application would be skipped in that dispatch. A filter that is mapped only to
 * initial requests would be, wherever it is in the chain. A filter that skips asynchronous
 * dispatches itself would be if it is before the early filter; after it, the dispatch is presented
 * as an initial request. Thread-safe.
 */
final class AsyncDispatches implements BooleanSupplier {
  private static final Logger LOG = LoggerFactory.getLogger(AsyncDispatches.class);

  /** Registered by name, through a registration that is checked like all others. */
  private static final String SECURITY = "springSecurityFilterChain";

  private final ListableBeanFactory beans;
  private final int earlyOrder;
  private volatile @Nullable Boolean supported;

  AsyncDispatches(ListableBeanFactory beans, int earlyOrder, @Nullable Boolean configured) {
    this.beans = beans;
    this.earlyOrder = earlyOrder;
    this.supported = configured;
  }

  @Override
  public boolean getAsBoolean() {
    Boolean result = supported;
    if (result == null) {
      result = detect();
      supported = result;
    }
    return result;
  }

  private boolean detect() {
    Set<Filter> registered = new HashSet<>();
    Collection<?> registrations =
        beans.getBeansOfType(AbstractFilterRegistrationBean.class).values();
    for (Object each : registrations) {
      AbstractFilterRegistrationBean<?> registration = (AbstractFilterRegistrationBean<?>) each;
      Filter filter = registration.getFilter();
      if (filter != null) {
        registered.add(filter);
      }
      if (registration.isEnabled()
          && (!registration.determineDispatcherTypes().contains(DispatcherType.ASYNC)
              || (registration.getOrder() <= earlyOrder && FirstDispatchOnly.appliesTo(filter)))) {
        return reportUnsupported(registration);
      }
    }
    for (Map.Entry<String, Filter> bean : beans.getBeansOfType(Filter.class).entrySet()) {
      Filter filter = bean.getValue();
      if (!registered.contains(filter)
          && !bean.getKey().equals(SECURITY)
          && (!(filter instanceof OncePerRequestFilter)
              || (order(bean.getKey(), filter) <= earlyOrder
                  && FirstDispatchOnly.appliesTo(filter)))) {
        return reportUnsupported(filter);
      }
    }
    return true;
  }

  /**
   * Returns the lowest order that the filter may have: waiting needlessly is better than skipping a
   * filter.
   */
  private int order(String name, Filter filter) {
    int order = filter instanceof Ordered ordered ? ordered.getOrder() : Ordered.LOWEST_PRECEDENCE;
    Order annotation = beans.findAnnotationOnBean(name, Order.class);
    if (annotation != null) {
      order = Math.min(order, annotation.value());
    }
    FilterRegistration registration = beans.findAnnotationOnBean(name, FilterRegistration.class);
    return registration == null ? order : Math.min(order, registration.order());
  }

  private static boolean reportUnsupported(Object filter) {
    LOG.info(
        "Threads wait for Redis, up to the deadline, because this filter does not support"
            + " asynchronous dispatches: {}",
        filter);
    return false;
  }
}
