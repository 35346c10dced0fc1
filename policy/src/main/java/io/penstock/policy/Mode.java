package io.penstock.policy;

import java.util.Locale;

/** Whether a rule is enforced. */
public enum Mode {
  /** The rule allows or denies requests. */
  ENFORCE,
  /** The rule is evaluated and counted, but never changes a response. */
  SHADOW,
  /** The rule is ignored. */
  OFF;

  private final String code = name().toLowerCase(Locale.ROOT);

  /** Returns the name used in policies and on the wire. */
  public String code() {
    return code;
  }
}
