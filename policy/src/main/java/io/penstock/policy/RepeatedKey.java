package io.penstock.policy;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What a rule makes of an attribute that a request has more than once, such as a header that is
 * sent twice: origins differ in which value they read.
 */
public enum RepeatedKey {
  /** The request is denied, as one that lacks a key is. */
  DENY,
  /** The first value counts. */
  FIRST,
  /** The last value counts. */
  LAST,
  /** All values count as one, joined by a comma and a space. */
  JOIN;

  private final String code = name().toLowerCase(Locale.ROOT);

  /** The one that counts of several values; null if none does. */
  @Nullable String chosen(String joined, List<String> values) {
    return switch (this) {
      case DENY -> null;
      case FIRST -> values.get(0);
      case LAST -> values.get(values.size() - 1);
      case JOIN -> joined;
    };
  }

  /** The name in policies. */
  public String code() {
    return code;
  }
}
