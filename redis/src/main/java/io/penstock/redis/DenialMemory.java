package io.penstock.redis;

import io.penstock.Decision;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Caches recent denials by Redis for as long as they are valid. Thread-safe. The size is fixed: a
 * new denial may replace another one, which Redis then has to decide again.
 *
 * <p>The validity starts when the request was sent, because Redis evaluated the bucket after that.
 * The retry hint counts from when the response arrived, so that it is never too short.
 */
final class DenialMemory {
  private static final int SLOTS = 1 << 14;
  private static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final AtomicReferenceArray<@Nullable Denial> denials = new AtomicReferenceArray<>(SLOTS);
  private final LongSupplier nanos;

  /** For each slot, when tokens were last returned to one of its buckets; 0 if never. */
  private final AtomicLongArray forgotten = new AtomicLongArray(SLOTS);

  DenialMemory(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /** The current time of its clock. */
  long now() {
    return nanos.getAsLong();
  }

  /**
   * @param denier the claim that denied the request
   */
  private record Denial(
      List<RedisClaim> claims,
      RedisClaim denier,
      Decision decision,
      long repliedNanos,
      long untilNanos) {

    /** Returns the result for another request that this denial covers; null if it doesn't. */
    @Nullable Decision find(List<RedisClaim> request, RedisClaim claim, long now) {
      if (untilNanos - now <= 0) {
        return null;
      }
      long passed = now - repliedNanos;
      if (claims.equals(request)) {
        return later(passed);
      }
      long extra = request.size() == 1 && claims.size() == 1 ? denier.extraWaitNanos(claim) : -1;
      return extra < 0 ? null : denied(denier, decision, passed, extra);
    }

    private Decision later(long nanos) {
      List<Decision> before = decision.results();
      Decision[] results = new Decision[before.size()];
      for (int i = 0; i < results.length; i++) {
        Decision result = before.get(i);
        results[i] = result.allowed() ? result : denied(claims.get(i), result, nanos, 0);
      }
      return results.length == 1 ? results[0] : Decision.all(results);
    }
  }

  /** Returns the result for a request that is known to be denied; null if Redis has to decide. */
  @Nullable Decision find(List<RedisClaim> request) {
    long now = now();
    for (int i = 0; i < request.size(); i++) {
      RedisClaim claim = request.get(i);
      Denial denial = denials.get(slot(claim.redisKey()));
      Decision known = denial == null ? null : denial.find(request, claim, now);
      if (known != null) {
        return known;
      }
    }
    return null;
  }

  private static Decision denied(
      RedisClaim claim, Decision decision, long passedNanos, long moreNanos) {
    if (decision.neverAllowed()) {
      return decision;
    }
    long reset = remainingNanos(decision.resetAfter().toNanos(), passedNanos);
    return Decision.deny(
        decision.limiter(),
        decision.limit(),
        claim.codec().remainingAt(decision.remainingThousandths(), reset),
        reset,
        remainingNanos(decision.retryAfter().toNanos() + moreNanos, passedNanos));
  }

  /** The rest of a wait, rounded up to the store's tick. */
  private static long remainingNanos(long waitNanos, long passedNanos) {
    long remainingNanos = Math.max(1, waitNanos - passedNanos);
    return ((remainingNanos - 1) / Ticks.NANOS + 1) * Ticks.NANOS;
  }

  /** Caches a denial, unless tokens were returned since the request was sent. */
  void add(List<RedisClaim> claims, Decision decision, long sentNanos) {
    if (decision.allowed() || decision.neverAllowed() || decision.degraded()) {
      return;
    }
    List<Decision> results = decision.results();
    for (int i = 0; i < claims.size(); i++) {
      Decision result = results.get(i);
      if (!result.allowed() && result.retryAfter().equals(decision.retryAfter())) {
        long wait = Math.min(MAX_NANOS, decision.retryAfter().toNanos());
        RedisClaim denier = claims.get(i);
        int slot = slot(denier.redisKey());
        long changed = forgotten.get(slot);
        if (changed == 0 || sentNanos - changed > 0) {
          denials.set(slot, new Denial(claims, denier, decision, now(), sentNanos + wait));
        }
        return;
      }
    }
  }

  /** Removes the denial of a bucket, because tokens were returned to it. */
  void forget(String redisKey) {
    int slot = slot(redisKey);
    forgotten.set(slot, now() | 1);
    denials.set(slot, null);
  }

  private static int slot(String redisKey) {
    int hash = redisKey.hashCode();
    return (hash ^ (hash >>> 15)) & (SLOTS - 1);
  }
}
