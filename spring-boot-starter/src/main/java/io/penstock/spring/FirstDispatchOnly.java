package io.penstock.spring;

import jakarta.servlet.Filter;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;
import org.springframework.web.filter.CharacterEncodingFilter;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Checks whether a filter is mapped to asynchronous dispatches but skips them, as most subclasses
 * of {@code OncePerRequestFilter} do. State that it bound to the thread or wrapped around the
 * response is then missing in the dispatch.
 */
final class FirstDispatchOnly {
  private FirstDispatchOnly() {}

  static boolean appliesTo(@Nullable Filter filter) {
    // CharacterEncodingFilter sets the encoding of the request itself, which persists.
    return filter instanceof OncePerRequestFilter once
        && !(filter instanceof CharacterEncodingFilter)
        && skips(once);
  }

  /**
   * Calls the protected method of the filter. If that is impossible, assumes the default, which is
   * to skip.
   */
  private static boolean skips(OncePerRequestFilter filter) {
    Method method = ReflectionUtils.findMethod(filter.getClass(), "shouldNotFilterAsyncDispatch");
    return method == null
        || !method.trySetAccessible()
        || Boolean.TRUE.equals(ReflectionUtils.invokeMethod(method, filter));
  }
}
