package io.penstock.spring;

import jakarta.servlet.Filter;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;
import org.springframework.web.filter.CharacterEncodingFilter;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Whether a filter is mapped to asynchronous dispatches but does nothing in them, as most of
 * Spring's kind do: what it has put into its thread or around the response is gone by then.
 */
final class FirstDispatchOnly {
  private FirstDispatchOnly() {}

  static boolean holdsFor(@Nullable Filter filter) {
    // An encoding is set on the request itself, and stays.
    return filter instanceof OncePerRequestFilter once
        && !(filter instanceof CharacterEncodingFilter)
        && skips(once);
  }

  /** Asks what only the filter itself can say; one that can't be asked does as most do. */
  private static boolean skips(OncePerRequestFilter filter) {
    Method method = ReflectionUtils.findMethod(filter.getClass(), "shouldNotFilterAsyncDispatch");
    return method == null
        || !method.trySetAccessible()
        || Boolean.TRUE.equals(ReflectionUtils.invokeMethod(method, filter));
  }
}
