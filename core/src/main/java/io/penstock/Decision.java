package io.penstock;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The answer to one request. Immutable.
 *
 * <p>Of a request against several limits, the figures are those of the limit that matters: when
 * denied, the one with the longest wait (never is the longest); when allowed, the one with the
 * smallest share left. {@link #results()} has each of them.
 */
public final class Decision {
  private static final long NEVER = -1;

  private final boolean allowed;
  private final boolean degraded;
  private final String limiter;
  private final Limit limit;
  private final long remaining;
  private final long resetAfterNanos;

  /** Until the retry of what is denied, or until what is allowed may pass. */
  private final long waitNanos;

  private final @Nullable Reason reason;
  private final @Nullable List<Decision> parts;

  private Decision(
      boolean allowed,
      String limiter,
      Limit limit,
      long remaining,
      long waitNanos,
      long resetAfterNanos,
      @Nullable Reason reason) {
    this.allowed = allowed;
    this.degraded = false;
    this.limiter = limiter;
    this.limit = limit;
    this.remaining = remaining;
    this.resetAfterNanos = resetAfterNanos;
    this.waitNanos = waitNanos;
    this.reason = reason;
    this.parts = null;
  }

  private Decision(
      Decision that,
      boolean degraded,
      @Nullable Reason reason,
      long waitNanos,
      @Nullable List<Decision> parts) {
    this.allowed = that.allowed;
    this.degraded = degraded;
    this.limiter = that.limiter;
    this.limit = that.limit;
    this.remaining = that.remaining;
    this.resetAfterNanos = that.resetAfterNanos;
    this.waitNanos = waitNanos;
    this.reason = reason;
    this.parts = parts;
  }

  /** A request that may pass after {@code delayNanos}. Amounts are in thousandths of a token. */
  public static Decision allowed(
      String limiter, Limit limit, long remaining, long resetAfterNanos, long delayNanos) {
    return new Decision(true, limiter, limit, remaining, delayNanos, resetAfterNanos, null);
  }

  /** A request that may not pass now, but may after {@code retryAfterNanos}. */
  public static Decision denied(
      String limiter, Limit limit, long remaining, long resetAfterNanos, long retryAfterNanos) {
    return new Decision(
        false, limiter, limit, remaining, retryAfterNanos, resetAfterNanos, limit.exceeded());
  }

  /** A request that costs more than the limit can hold. */
  public static Decision never(String limiter, Limit limit, long remaining, long resetAfterNanos) {
    return new Decision(
        false, limiter, limit, remaining, NEVER, resetAfterNanos, Reason.COST_ABOVE_BURST);
  }

  /** A request that can't pass whatever is left, for {@code reason}. */
  public static Decision refused(String limiter, Limit limit, Reason reason) {
    return new Decision(false, limiter, limit, 0, NEVER, 0, reason);
  }

  /** The answer to all of {@code parts}, of which there is at least one. */
  public static Decision all(Decision... parts) {
    if (parts.length == 0) {
      throw new IllegalArgumentException("parts must not be empty: []");
    }
    Decision chosen = parts[0];
    long delayNanos = 0;
    boolean degraded = false;
    for (Decision part : parts) {
      if (part.mattersMoreThan(chosen)) {
        chosen = part;
      }
      delayNanos = Math.max(delayNanos, part.delayNanos());
      degraded |= part.degraded;
    }
    long wait = chosen.allowed ? delayNanos : chosen.waitNanos;
    return new Decision(chosen, degraded, chosen.reason, wait, List.of(parts));
  }

  /** A request that is denied because the store can't be asked. */
  public static Decision unavailable(String limiter, Limit limit, long retryAfterNanos) {
    return unavailable(limiter, limit, retryAfterNanos, Reason.STORE_UNAVAILABLE);
  }

  /** A request that is denied because something that is needed to decide it is unavailable. */
  public static Decision unavailable(
      String limiter, Limit limit, long retryAfterNanos, Reason reason) {
    return new Decision(false, limiter, limit, 0, retryAfterNanos, 0, reason).asDegraded();
  }

  /** The same figures, marked as decided by a failure policy and not by the store. */
  public Decision asDegraded() {
    return asDegraded(Reason.STORE_UNAVAILABLE);
  }

  /** The same figures, marked as decided by a failure policy; {@code why}, if it is allowed. */
  public Decision asDegraded(Reason why) {
    return new Decision(this, true, allowed ? why : reason, waitNanos, parts);
  }

  /** Whether this is the one to show of the two: a denial, the longer wait, the smaller share. */
  public boolean mattersMoreThan(Decision that) {
    if (allowed != that.allowed) {
      return !allowed;
    }
    if (!allowed) {
      // NEVER is -1: unsigned, it is the longest wait of all.
      return Long.compareUnsigned(waitNanos, that.waitNanos) > 0;
    }
    return share() < that.share();
  }

  private double share() {
    return (double) remaining / limit.burstThousandths();
  }

  /** Whether the request may pass; after {@link #delay()}, if there is one. */
  public boolean allowed() {
    return allowed;
  }

  /** The name of the limiter whose figures these are; of a denial, the one that denied. */
  public String limiter() {
    return limiter;
  }

  /** The limit that these figures are about. */
  public Limit limit() {
    return limit;
  }

  /** Tokens left, to the thousandth below. */
  public double remaining() {
    return Tokens.toDouble(remaining);
  }

  /** Tokens left, in whole thousandths. */
  public long remainingThousandths() {
    return remaining;
  }

  /**
   * How long a denied caller has to wait: zero when allowed, {@link ChronoUnit#FOREVER} when {@link
   * #never()}. A lone caller who retries after exactly this is allowed, and not a moment earlier.
   */
  public Duration retryAfter() {
    return never() ? ChronoUnit.FOREVER.getDuration() : Duration.ofNanos(allowed ? 0 : waitNanos);
  }

  /** Whether the request can't ever pass, because it costs more than the limit holds. */
  public boolean never() {
    return waitNanos == NEVER;
  }

  /** How long until the limit is whole again, if nothing else is taken. */
  public Duration resetAfter() {
    return Duration.ofNanos(resetAfterNanos);
  }

  /** How long an allowed request has to be held back first; zero unless waiting was asked for. */
  public Duration delay() {
    return Duration.ofNanos(delayNanos());
  }

  long delayNanos() {
    return allowed ? waitNanos : 0;
  }

  /** Why the request was denied; empty for an ordinary allowed one. */
  public Optional<Reason> reason() {
    return Optional.ofNullable(reason);
  }

  /** Whether a failure policy decided because the store could not. */
  public boolean degraded() {
    return degraded;
  }

  /** The answer of each limit asked, in the order asked; of a single limit, this answer. */
  public List<Decision> results() {
    return parts == null ? List.of(this) : parts;
  }

  @Override
  public String toString() {
    return (allowed ? "allowed by " : "denied by ")
        + limiter
        + " (remaining "
        + remaining()
        + (allowed ? "" : never() ? ", never" : ", retry after " + retryAfter())
        + (delayNanos() == 0 ? "" : ", delay " + delay())
        + (degraded ? ", degraded" : "")
        + ")";
  }
}
