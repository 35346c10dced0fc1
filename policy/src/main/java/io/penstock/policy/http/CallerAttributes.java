package io.penstock.policy.http;

import org.jspecify.annotations.Nullable;

/**
 * Supplies attributes that are not part of the HTTP request. Called only for attributes that rules
 * refer to.
 */
@FunctionalInterface
public interface CallerAttributes {
  /** Supplies no attributes. */
  CallerAttributes NOTHING = name -> null;

  /** Returns the value of an attribute, such as {@code user_id}; null if it is unknown. */
  @Nullable String get(String name);
}
