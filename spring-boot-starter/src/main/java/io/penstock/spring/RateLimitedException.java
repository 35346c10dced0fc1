package io.penstock.spring;

import io.penstock.policy.Verdict;

/** A rule that {@link RateLimited} names denies. Has no stack trace: it is no failure. */
public final class RateLimitedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient Verdict verdict;

  public RateLimitedException(Verdict verdict) {
    super(verdict.toString(), null, false, false);
    this.verdict = verdict;
  }

  /** What was decided. */
  public Verdict verdict() {
    return verdict;
  }
}
