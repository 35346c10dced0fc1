package io.penstock.policy.http;

import org.jspecify.annotations.Nullable;

/** What a door knows of a request besides what HTTP says; asked only for what rules name. */
@FunctionalInterface
public interface CallerAttributes {
  /** Nothing. */
  CallerAttributes NOTHING = name -> null;

  /** The value of an attribute, such as {@code user_id}; null if it isn't known. */
  @Nullable String get(String name);
}
