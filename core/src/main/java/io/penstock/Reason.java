package io.penstock;

import java.util.Locale;

/** Why a request was denied, or why its answer is not the usual one. */
public enum Reason {
  TOKEN_BUCKET_EXCEEDED,
  FIXED_WINDOW_EXCEEDED,
  SLIDING_WINDOW_COUNTER_EXCEEDED,
  SLIDING_WINDOW_LOG_EXCEEDED,
  /** The request costs more than the limit can ever hold. */
  COST_ABOVE_BURST,
  /** The request lacks a key that its rule insists on. */
  MISSING_KEY,
  /** The path of the request could be read in more than one way. */
  PATH_REJECTED,
  /** The store did not answer in time and the failure policy decided. */
  STORE_UNAVAILABLE,
  /** The token can't be verified, as its keys are unavailable, and the failure policy decided. */
  JWT_KEYS_UNAVAILABLE;

  private final String code = name().toLowerCase(Locale.ROOT);

  /** Whether something that is needed to decide is unavailable. */
  public boolean isUnavailable() {
    return this == STORE_UNAVAILABLE || this == JWT_KEYS_UNAVAILABLE;
  }

  /** The name on the wire, such as {@code token_bucket_exceeded}. */
  public String code() {
    return code;
  }
}
