package io.penstock.policy;

import java.util.Locale;

/** What becomes of a request that lacks a part of a rule's key. */
public enum MissingKey {
  /** Everybody who lacks it shares a bucket. */
  SHARE,
  /** The rule doesn't apply. */
  SKIP,
  /** The request is denied. */
  DENY;

  private final String code = name().toLowerCase(Locale.ROOT);

  /** The name in policies. */
  public String code() {
    return code;
  }
}
