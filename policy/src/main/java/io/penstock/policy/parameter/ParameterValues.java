package io.penstock.policy.parameter;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The values of a query parameter or cookie, usually a single one. Not thread-safe. */
public final class ParameterValues {
  private @Nullable String first;
  private @Nullable List<String> each;
  private boolean ambiguous;

  public void add(String value) {
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

  /** Adds a value that only some origins read. For all others the parameter may be missing. */
  public void addAmbiguous(String value) {
    if (first == null) {
      add("");
    }
    add(value);
    ambiguous = true;
  }

  /** Returns the values in the order added. If they are ambiguous, there are at least two. */
  public List<String> list() {
    if (each != null) {
      return each;
    }
    return first == null ? List.of() : List.of(first);
  }

  /** Returns the values joined by a comma and a space; null if there are none. */
  public @Nullable String joined() {
    return each == null ? first : String.join(", ", each);
  }

  /** Returns whether origins differ in the values that they read. */
  public boolean isAmbiguous() {
    return ambiguous;
  }
}
