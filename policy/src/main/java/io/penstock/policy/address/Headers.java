package io.penstock.policy.address;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The headers of a request. */
@FunctionalInterface
public interface Headers {
  /**
   * Returns the value of a header. Repeated values are joined by a comma and a space, cookies by a
   * semicolon and a space.
   *
   * @param name in lower case
   * @return null if the header is missing
   */
  @Nullable String get(String name);

  /**
   * Returns the values of a header, one for each line.
   *
   * @param name in lower case
   */
  default List<String> all(String name) {
    String value = get(name);
    return value == null ? List.of() : List.of(value);
  }

  /**
   * Returns the values of headers whose names differ from {@code name}, but which some origins read
   * as the same header; see {@link HeaderName}. Empty if the origin doesn't receive them, or reads
   * names exactly.
   *
   * @param name in lower case
   */
  default List<String> similar(String name) {
    return List.of();
  }
}
