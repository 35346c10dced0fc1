package io.penstock.policy.http;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The values of one name, usually a single one. Not thread-safe. */
final class HeaderValues {
  private @Nullable String first;
  private @Nullable List<String> each;

  void add(String value) {
    if (first == null) {
      first = value;
      return;
    }
    if (each == null) {
      each = new ArrayList<>();
      each.add(first);
    }
    each.add(value);
  }

  /** Returns the values in the order added. */
  List<String> list() {
    if (each != null) {
      return each;
    }
    return first == null ? List.of() : List.of(first);
  }

  /** Returns the values joined by a comma and a space; null if there are none. */
  @Nullable String joined() {
    return each == null ? first : String.join(", ", each);
  }
}
