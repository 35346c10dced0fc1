package io.penstock.policy.http;

/** Selects the header fields that report rate limits to clients. */
public enum HeaderFormat {
  /**
   * {@code RateLimit-Limit}, {@code -Remaining} and {@code -Reset}, and the fields of the draft.
   */
  ALL("all"),
  /** {@code RateLimit} and {@code RateLimit-Policy}, as structured fields. */
  DRAFT("draft"),
  /** {@code RateLimit-Limit}, {@code RateLimit-Remaining} and {@code RateLimit-Reset}. */
  LEGACY("legacy"),
  /** {@code X-RateLimit-Limit}, {@code X-RateLimit-Remaining} and {@code X-RateLimit-Reset}. */
  X_RATELIMIT("x-ratelimit"),
  /** None. Denials still have {@code Retry-After} and the reason. */
  NONE("none");

  private final String code;

  HeaderFormat(String code) {
    this.code = code;
  }

  /**
   * Returns the format with this name in settings.
   *
   * @throws IllegalArgumentException if there is no such format
   */
  public static HeaderFormat parse(String code) {
    for (HeaderFormat form : values()) {
      if (form.code.equals(code)) {
        return form;
      }
    }
    throw new IllegalArgumentException(
        "headers must be all, draft, legacy, x-ratelimit or none: " + code);
  }

  /** Returns the name in settings. */
  public String code() {
    return code;
  }

  boolean hasTriple() {
    return this == ALL || this == LEGACY || this == X_RATELIMIT;
  }

  boolean hasDraft() {
    return this == ALL || this == DRAFT;
  }

  /** Returns the prefix of the limit, remaining and reset fields. */
  String prefix() {
    return this == X_RATELIMIT ? "X-RateLimit" : "RateLimit";
  }
}
