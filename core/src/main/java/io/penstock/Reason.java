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
  /** The store didn't respond in time, and the failure policy decided. */
  STORE_UNAVAILABLE,
  /**
   * The token can't be verified because its keys are unavailable, and the failure policy decided.
   */
  JWT_KEYS_UNAVAILABLE;

  private final String code = name().toLowerCase(Locale.ROOT);

  /** Whether the reason is that something needed to decide is unavailable. */
  public boolean isUnavailable() {
    return this == STORE_UNAVAILABLE || this == JWT_KEYS_UNAVAILABLE;
  }

  /** The name on the wire, such as {@code token_bucket_exceeded}. */
  public String code() {
    return code;
  }
}
