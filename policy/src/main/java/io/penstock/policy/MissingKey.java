package io.penstock.policy;

import java.util.Locale;

/** How a rule handles a request that lacks a part of its key. */
public enum MissingKey {
  /** All requests that lack it share a bucket. */
  SHARE,
  /** The rule doesn't apply. */
  SKIP,
  /** The request is denied. */
  DENY;

  private final String code = name().toLowerCase(Locale.ROOT);

  /** Returns the name used in policies. */
  public String code() {
    return code;
  }
}
