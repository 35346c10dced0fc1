package io.penstock.redis;

import io.penstock.Decision;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What Redis denied lately, and for how long that holds. Thread-safe. Of fixed size: a newer denial
 * may take the place of another, which then has to be asked for again.
 *
 * <p>A denial holds from when the question was sent, because the bucket was looked at later still.
 * The wait that callers are told counts from when the answer came, so that it is never too short.
 */
final class DenialMemory {
  private static final int PLACES = 1 << 14;
  private static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final AtomicReferenceArray<@Nullable Denial> denials = new AtomicReferenceArray<>(PLACES);
  private final LongSupplier nanos;

  /** When something was last put back into a bucket at each place; 0 if never. */
  private final AtomicLongArray forgotten = new AtomicLongArray(PLACES);

  DenialMemory(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /** The time that it goes by. */
  long now() {
    return nanos.getAsLong();
  }

  /**
   * @param denier which of the parts denies
   */
  private record Denial(
      List<BucketRequest> parts,
      BucketRequest denier,
      Decision decision,
      long answeredNanos,
      long untilNanos) {

    /** The answer to another request that this one's denial settles; null if it doesn't. */
    @Nullable Decision recall(List<BucketRequest> asked, BucketRequest part, long now) {
      if (untilNanos - now <= 0) {
        return null;
      }
      long passed = now - answeredNanos;
      if (parts.equals(asked)) {
        return later(decision, passed);
      }
      long more = asked.size() == 1 && parts.size() == 1 ? denier.extraWaitNanos(part) : -1;
      return more < 0 ? null : denied(decision, passed, more);
    }
  }

  /** The answer to a request that is known to be denied; null if Redis has to be asked. */
  @Nullable Decision recall(List<BucketRequest> asked) {
    long now = now();
    for (int i = 0; i < asked.size(); i++) {
      BucketRequest part = asked.get(i);
      Denial denial = denials.get(place(part.redisKey()));
      Decision known = denial == null ? null : denial.recall(asked, part, now);
      if (known != null) {
        return known;
      }
    }
    return null;
  }

  private static Decision later(Decision decision, long nanos) {
    Decision[] results =
        decision.results().stream()
            .map(result -> result.allowed() ? result : denied(result, nanos, 0))
            .toArray(Decision[]::new);
    return results.length == 1 ? results[0] : Decision.all(results);
  }

  private static Decision denied(Decision decision, long passedNanos, long moreNanos) {
    if (decision.never()) {
      return decision;
    }
    return Decision.denied(
        decision.limiter(),
        decision.limit(),
        decision.remainingThousandths(),
        left(decision.resetAfter().toNanos(), passedNanos),
        left(decision.retryAfter().toNanos() + moreNanos, passedNanos));
  }

  /** What is left of a wait, rounded up to the store's tick. */
  private static long left(long waitNanos, long passedNanos) {
    long left = Math.max(1, waitNanos - passedNanos);
    return ((left - 1) / Ticks.NANOS + 1) * Ticks.NANOS;
  }

  /** Notes what was denied, unless something was put back since the question was sent. */
  void note(List<BucketRequest> parts, Decision decision, long sentNanos) {
    if (decision.allowed() || decision.never() || decision.degraded()) {
      return;
    }
    List<Decision> results = decision.results();
    for (int i = 0; i < parts.size(); i++) {
      Decision result = results.get(i);
      if (!result.allowed() && result.retryAfter().equals(decision.retryAfter())) {
        long wait = Math.min(MAX_NANOS, decision.retryAfter().toNanos());
        BucketRequest denier = parts.get(i);
        int place = place(denier.redisKey());
        long changed = forgotten.get(place);
        if (changed == 0 || sentNanos - changed > 0) {
          denials.set(place, new Denial(parts, denier, decision, now(), sentNanos + wait));
        }
        return;
      }
    }
  }

  /** Forgets what was denied for a bucket, because something was put back into it. */
  void forget(String redisKey) {
    int place = place(redisKey);
    forgotten.set(place, now() | 1);
    denials.set(place, null);
  }

  private static int place(String redisKey) {
    int hash = redisKey.hashCode();
    return (hash ^ (hash >>> 15)) & (PLACES - 1);
  }
}
