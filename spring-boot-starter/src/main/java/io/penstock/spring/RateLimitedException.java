package io.penstock.spring;

import io.penstock.policy.Verdict;

/**
 * Thrown when the rule of a {@link RateLimited} method denies a call. Has no stack trace, because a
 * denial is not a failure.
 */
public final class RateLimitedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient Verdict verdict;

  public RateLimitedException(Verdict verdict) {
    super(verdict.toString(), null, false, false);
    this.verdict = verdict;
  }

  /** Returns the verdict that denied the call. */
  public Verdict verdict() {
    return verdict;
  }
}
