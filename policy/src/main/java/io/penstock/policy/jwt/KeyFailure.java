package io.penstock.policy.jwt;

import java.util.Locale;

/** Why keys could not be fetched. */
public enum KeyFailure {
  /** There is no connection, or it broke. */
  CONNECTION,
  TIMEOUT,
  /** The status of the answer was not 200. */
  STATUS,
  /** There is an answer or a file, but no key set in it. */
  INVALID,
  /** The file can't be read. */
  FILE;

  private final String code = name().toLowerCase(Locale.ROOT);

  /** The name in metrics. */
  public String code() {
    return code;
  }
}
