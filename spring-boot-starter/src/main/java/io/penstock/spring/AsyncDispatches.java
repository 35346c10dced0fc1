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
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Whether requests may be held back and dispatched again: not if a filter of the application would
 * be passed by, because it is mapped to first requests only. Thread-safe.
 */
final class AsyncDispatches implements BooleanSupplier {
  private static final Logger LOG = LoggerFactory.getLogger(AsyncDispatches.class);

  /** Registered by its name, by a registration that was looked at as all others. */
  private static final String SECURITY = "springSecurityFilterChain";

  private final ListableBeanFactory beans;
  private volatile @Nullable Boolean taken;

  AsyncDispatches(ListableBeanFactory beans, @Nullable Boolean wanted) {
    this.beans = beans;
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
          && !registration.determineDispatcherTypes().contains(DispatcherType.ASYNC)) {
        return passedBy(registration);
      }
    }
    for (Map.Entry<String, Filter> bean : beans.getBeansOfType(Filter.class).entrySet()) {
      Filter filter = bean.getValue();
      if (!registered.contains(filter)
          && !bean.getKey().equals(SECURITY)
          && !(filter instanceof OncePerRequestFilter)) {
        return passedBy(filter);
      }
    }
    return true;
  }

  private static boolean passedBy(Object filter) {
    LOG.info(
        "threads wait for Redis, for the deadline at most, because of a filter that takes no"
            + " asynchronous dispatches: {}",
        filter);
    return false;
  }
}
