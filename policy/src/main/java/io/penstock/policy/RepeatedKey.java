package io.penstock.policy;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How a rule handles an attribute that a request has more than once, such as a header that is sent
 * twice. Origins differ in which value they read.
 */
public enum RepeatedKey {
  /** The request is denied, like one that lacks a key. */
  DENY,
  /** The first value counts. */
  FIRST,
  /** The last value counts. */
  LAST,
  /** All values count as one value, joined by a comma and a space. */
  JOIN;

  private final String code = name().toLowerCase(Locale.ROOT);

  /** Returns the value that counts; null if the request is to be denied. */
  @Nullable String choose(String joined, List<String> values) {
    return switch (this) {
      case DENY -> null;
      case FIRST -> values.get(0);
      case LAST -> values.get(values.size() - 1);
      case JOIN -> joined;
    };
  }

  /** Returns the name used in policies. */
  public String code() {
    return code;
  }
}
