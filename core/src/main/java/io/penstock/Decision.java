package io.penstock;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The result of one request. Immutable.
 *
 * <p>For a request over several limits, the figures are those of the most relevant limit: the one
 * with the longest wait if the request is denied ({@link #neverAllowed()} counts as the longest),
 * and the one with the smallest fraction left if it is allowed. {@link #results()} returns the
 * result of each limit.
 */
public final class Decision {
  private static final long NEVER = -1;

  private final boolean allowed;
  private final String limiter;
  private final Limit limit;
  private final long remainingThousandths;
  private final long resetAfterNanos;

  /** Time until a retry if denied, or the delay before the request may pass if allowed. */
  private final long waitNanos;

  private final @Nullable Reason reason;

  /** Why a failure policy made this decision; null if none did. */
  private final @Nullable Reason degradation;

  private final @Nullable List<Decision> parts;

  private Decision(
      boolean allowed,
      String limiter,
      Limit limit,
      long remainingThousandths,
      long waitNanos,
      long resetAfterNanos,
      @Nullable Reason reason) {
    this.allowed = allowed;
    this.limiter = limiter;
    this.limit = limit;
    this.remainingThousandths = remainingThousandths;
    this.resetAfterNanos = resetAfterNanos;
    this.waitNanos = waitNanos;
    this.reason = reason;
    this.degradation = null;
    this.parts = null;
  }

  private Decision(
      Decision that,
      @Nullable Reason degradation,
      @Nullable Reason reason,
      long waitNanos,
      @Nullable List<Decision> parts) {
    this.allowed = that.allowed;
    this.degradation = degradation;
    this.limiter = that.limiter;
    this.limit = that.limit;
    this.remainingThousandths = that.remainingThousandths;
    this.resetAfterNanos = that.resetAfterNanos;
    this.waitNanos = waitNanos;
    this.reason = reason;
    this.parts = parts;
  }

  /** Allows a request to pass after {@code delayNanos}. */
  public static Decision allow(
      String limiter,
      Limit limit,
      long remainingThousandths,
      long resetAfterNanos,
      long delayNanos) {
    return new Decision(
        true, limiter, limit, remainingThousandths, delayNanos, resetAfterNanos, null);
  }

  /** Denies a request that would be allowed after {@code retryAfterNanos}. */
  public static Decision deny(
      String limiter,
      Limit limit,
      long remainingThousandths,
      long resetAfterNanos,
      long retryAfterNanos) {
    return new Decision(
        false,
        limiter,
        limit,
        remainingThousandths,
        retryAfterNanos,
        resetAfterNanos,
        limit.exceeded());
  }

  /** Denies a request whose cost exceeds the burst of the limit, so that it can never pass. */
  public static Decision denyCostAboveBurst(
      String limiter, Limit limit, long remainingThousandths, long resetAfterNanos) {
    return new Decision(
        false,
        limiter,
        limit,
        remainingThousandths,
        NEVER,
        resetAfterNanos,
        Reason.COST_ABOVE_BURST);
  }

  /** Denies a request for {@code reason}, however many tokens are left. */
  public static Decision deny(String limiter, Limit limit, Reason reason) {
    return new Decision(false, limiter, limit, 0, NEVER, 0, reason);
  }

  /** Combines the results of all limits of a request; {@code parts} must not be empty. */
  public static Decision all(Decision... parts) {
    if (parts.length == 0) {
      throw new IllegalArgumentException("parts must not be empty: []");
    }
    Decision chosen = parts[0];
    long delayNanos = 0;
    Reason degradation = null;
    for (Decision part : parts) {
      if (part.mattersMoreThan(chosen)) {
        chosen = part;
      }
      delayNanos = Math.max(delayNanos, part.delayNanos());
      degradation = degradation == null ? part.degradation : degradation;
    }
    long wait = chosen.allowed ? delayNanos : chosen.waitNanos;
    return new Decision(chosen, degradation, chosen.reason, wait, List.of(parts));
  }

  /** Denies a request because something needed to decide it is unavailable. */
  public static Decision unavailable(
      String limiter, Limit limit, long retryAfterNanos, Reason reason) {
    return new Decision(false, limiter, limit, 0, retryAfterNanos, 0, reason).asDegraded(reason);
  }

  /**
   * Returns the same figures, marked as decided by a failure policy because of {@code why}. A
   * denial keeps its own reason.
   */
  public Decision asDegraded(Reason why) {
    return new Decision(this, why, allowed ? why : reason, waitNanos, parts);
  }

  /**
   * Whether this result is more relevant than {@code that}: a denial before a grant, then the
   * longer wait or the smaller remaining fraction.
   */
  public boolean mattersMoreThan(Decision that) {
    if (allowed != that.allowed) {
      return !allowed;
    }
    if (!allowed) {
      // NEVER is -1, which is the longest wait when compared as unsigned.
      return Long.compareUnsigned(waitNanos, that.waitNanos) > 0;
    }
    return share() < that.share();
  }

  private double share() {
    return (double) remainingThousandths / limit.burstThousandths();
  }

  /** Whether the request may pass, after {@link #delay()}. */
  public boolean allowed() {
    return allowed;
  }

  /** The name of the limiter that the figures belong to. For a denial, the limiter that denied. */
  public String limiter() {
    return limiter;
  }

  /** The limit that the figures belong to. */
  public Limit limit() {
    return limit;
  }

  /** The tokens left, rounded down to a thousandth. */
  public double remaining() {
    return Tokens.toDouble(remainingThousandths);
  }

  /** The tokens left, in whole thousandths. */
  public long remainingThousandths() {
    return remainingThousandths;
  }

  /**
   * How long a denied caller has to wait: zero if allowed, {@link ChronoUnit#FOREVER} if {@link
   * #neverAllowed()}. If there are no other callers, a retry after exactly this time is allowed,
   * and a retry one tick of the store's clock earlier is denied: a nanosecond in process, a
   * microsecond in Redis.
   */
  public Duration retryAfter() {
    return neverAllowed()
        ? ChronoUnit.FOREVER.getDuration()
        : Duration.ofNanos(allowed ? 0 : waitNanos);
  }

  /**
   * Whether a retry can't succeed either: the cost exceeds the burst of the limit, or the request
   * was denied for a reason other than missing tokens, such as a missing key.
   */
  public boolean neverAllowed() {
    return waitNanos == NEVER;
  }

  /** Time until the limit is fully replenished if nothing else is taken. */
  public Duration resetAfter() {
    return Duration.ofNanos(resetAfterNanos);
  }

  /** How long an allowed request has to be delayed; zero unless the caller accepts a delay. */
  public Duration delay() {
    return Duration.ofNanos(delayNanos());
  }

  long delayNanos() {
    return allowed ? waitNanos : 0;
  }

  /** Why the request was denied or decided by a failure policy; empty for an ordinary grant. */
  public Optional<Reason> reason() {
    return Optional.ofNullable(reason);
  }

  /**
   * Whether a failure policy made this decision: the store was unavailable or didn't respond in
   * time, this process lacked CPU time, or the keys for verifying a token were unavailable. {@link
   * #degradation()} returns which of them.
   */
  public boolean degraded() {
    return degradation != null;
  }

  /** Why a failure policy made this decision; empty unless {@link #degraded()}. */
  public Optional<Reason> degradation() {
    return Optional.ofNullable(degradation);
  }

  /**
   * The results of the individual limits, in the order of the claims; for a single limit, this one.
   */
  public List<Decision> results() {
    return parts == null ? List.of(this) : parts;
  }

  @Override
  public String toString() {
    return (allowed ? "allowed by " : "denied by ")
        + limiter
        + " (remaining "
        + remaining()
        + (allowed ? "" : neverAllowed() ? ", can never pass" : ", retry after " + retryAfter())
        + (delayNanos() == 0 ? "" : ", delay " + delay())
        + (degradation == null ? "" : ", degraded by " + degradation.code())
        + ")";
  }
}
