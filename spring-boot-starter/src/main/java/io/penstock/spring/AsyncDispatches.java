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
 * Whether the early filter may hold requests back and have them dispatched again: not if a filter
 * of the application would be passed by. One that is mapped to first requests only would, wherever
 * it stands. One that leaves later dispatches alone by itself does so in front of the early filter;
 * behind it, what comes is shown as a first request. Thread-safe.
 */
final class AsyncDispatches implements BooleanSupplier {
  private static final Logger LOG = LoggerFactory.getLogger(AsyncDispatches.class);

  /** Registered by its name, by a registration that was looked at as all others. */
  private static final String SECURITY = "springSecurityFilterChain";

  private final ListableBeanFactory beans;
  private final int earlyOrder;
  private volatile @Nullable Boolean taken;

  AsyncDispatches(ListableBeanFactory beans, int earlyOrder, @Nullable Boolean wanted) {
    this.beans = beans;
    this.earlyOrder = earlyOrder;
    this.taken = wanted;
  }

  @Override
  public boolean getAsBoolean() {
    Boolean known = taken;
    if (known == null) {
      known = findOut();
      taken = known;
    }
    return known;
  }

  private boolean findOut() {
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
              || (registration.getOrder() <= earlyOrder && FirstDispatchOnly.holdsFor(filter)))) {
        return passedBy(registration);
      }
    }
    for (Map.Entry<String, Filter> bean : beans.getBeansOfType(Filter.class).entrySet()) {
      Filter filter = bean.getValue();
      if (!registered.contains(filter)
          && !bean.getKey().equals(SECURITY)
          && (!(filter instanceof OncePerRequestFilter)
              || (order(bean.getKey(), filter) <= earlyOrder
                  && FirstDispatchOnly.holdsFor(filter)))) {
        return passedBy(filter);
      }
    }
    return true;
  }

  /** The smallest that anybody could mean: to wait in vain is better than to pass a filter by. */
  private int order(String name, Filter filter) {
    int order = filter instanceof Ordered ordered ? ordered.getOrder() : Ordered.LOWEST_PRECEDENCE;
    Order written = beans.findAnnotationOnBean(name, Order.class);
    if (written != null) {
      order = Math.min(order, written.value());
    }
    FilterRegistration registration = beans.findAnnotationOnBean(name, FilterRegistration.class);
    return registration == null ? order : Math.min(order, registration.order());
  }

  private static boolean passedBy(Object filter) {
    LOG.info(
        "threads wait for Redis, for the deadline at most, because of a filter that takes no"
            + " asynchronous dispatches: {}",
        filter);
    return false;
  }
}
