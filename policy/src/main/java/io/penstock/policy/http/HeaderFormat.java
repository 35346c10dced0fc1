package io.penstock.policy.http;

/** Which header fields tell callers how their limits stand. */
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
  /** None; denials still say when to come back, and why. */
  NONE("none");

  private final String code;

  HeaderFormat(String code) {
    this.code = code;
  }

  /**
   * The form of this name in settings.
   *
   * @throws IllegalArgumentException if there is no such form
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

  /** The name in settings. */
  public String code() {
    return code;
  }

  boolean hasTriple() {
    return this == ALL || this == LEGACY || this == X_RATELIMIT;
  }

  boolean hasDraft() {
    return this == ALL || this == DRAFT;
  }

  /** What the names of the triple begin with. */
  String prefix() {
    return this == X_RATELIMIT ? "X-RateLimit" : "RateLimit";
  }
}
