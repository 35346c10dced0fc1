package io.penstock.policy.jwt;

import java.util.Locale;

/** Why keys could not be fetched. */
public enum KeyFailure {
  /** The connection failed or was lost. */
  CONNECTION,
  TIMEOUT,
  /** The response status was not 200. */
  STATUS,
  /** The response or file is not a valid key set. */
  INVALID,
  /** The file can't be read. */
  FILE;

  private final String code = name().toLowerCase(Locale.ROOT);

  /** Returns the name in metrics. */
  public String code() {
    return code;
  }
}
