package io.penstock;

import java.util.Locale;

/** Why a request was denied, or decided by a failure policy. */
public enum Reason {
  TOKEN_BUCKET_EXCEEDED,
  FIXED_WINDOW_EXCEEDED,
  SLIDING_WINDOW_COUNTER_EXCEEDED,
  SLIDING_WINDOW_LOG_EXCEEDED,
  /** The cost of the request exceeds the burst of the limit. */
  COST_ABOVE_BURST,
  /** The request lacks a key that its rule requires. */
  MISSING_KEY,
  /** The path can be interpreted in several ways, so rules and origin might disagree about it. */
  PATH_REJECTED,
  /**
   * The store was known to be unavailable, returned an error, or the request could not be sent
   * before its deadline. The failure policy decided.
   */
  STORE_UNAVAILABLE,
  /**
   * The request was sent, but no response arrived before the deadline or before the connection
   * broke. The failure policy decided; the store may have charged the request.
   */
  STORE_TIMEOUT,
  /**
   * The deadline passed while this process had no CPU time to send the request or read the
   * response, and the failure policy decided. The store may be healthy.
   */
  CPU_STARVED,
  /**
   * The token can't be verified because its keys are unavailable, and the failure policy decided.
   */
  JWT_KEYS_UNAVAILABLE;

  private final String code = name().toLowerCase(Locale.ROOT);

  /** Whether the reason is that something needed to decide is unavailable. */
  public boolean isUnavailable() {
    return switch (this) {
      case STORE_UNAVAILABLE, STORE_TIMEOUT, CPU_STARVED, JWT_KEYS_UNAVAILABLE -> true;
      default -> false;
    };
  }

  /** The name on the wire, such as {@code token_bucket_exceeded}. */
  public String code() {
    return code;
  }
}
