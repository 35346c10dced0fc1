package io.penstock.policy.address;

import java.util.List;
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

  /**
   * The values of a header, one for each line of it.
   *
   * @param name in lower case
   */
  default List<String> all(String name) {
    String value = get(name);
    return value == null ? List.of() : List.of(value);
  }
}
