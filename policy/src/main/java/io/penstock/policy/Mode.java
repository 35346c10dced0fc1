package io.penstock.policy;

import java.util.Locale;

/** Whether a rule binds. */
public enum Mode {
  /** It decides. */
  ENFORCE,
  /** It is asked and counted, and never changes a response. */
  SHADOW,
  /** It is not there. */
  OFF;

  private final String code = name().toLowerCase(Locale.ROOT);

  /** The name in policies and on the wire. */
  public String code() {
    return code;
  }
}
