package io.penstock.policy.http;

import org.jspecify.annotations.Nullable;

/** The values of one name, of which there is mostly one. Used by one thread. */
final class Values {
  private @Nullable String first;
  private @Nullable StringBuilder all;

  void add(String value) {
    if (first == null) {
      first = value;
      return;
    }
    if (all == null) {
      all = new StringBuilder(first);
    }
    all.append(", ").append(value);
  }

  /** All of them joined by a comma and a space; null if there are none. */
  @Nullable String joined() {
    return all == null ? first : all.toString();
  }
}
