package io.penstock.policy.address;

import org.jspecify.annotations.Nullable;

/** The headers of a request, as a door has them. */
@FunctionalInterface
public interface Headers {
  /**
   * The value of a header; of several, all of them joined by a comma and a space, cookies by a
   * semicolon and a space.
   *
   * @param name in lower case
   * @return null if it isn't there
   */
  @Nullable String get(String name);
}
