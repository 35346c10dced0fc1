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
  /** The path of the request is ambiguous. */
  PATH_REJECTED,
  /** The store was unreachable or returned an error, and the failure policy decided. */
  STORE_UNAVAILABLE,
  /** The store didn't respond within the deadline, and the failure policy decided. */
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
