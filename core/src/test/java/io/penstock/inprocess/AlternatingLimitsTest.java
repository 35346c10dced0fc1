package io.penstock.inprocess;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.TokenBucket;
import io.penstock.WindowLimit;
import io.penstock.algorithm.LimitArbitraries;
import io.penstock.algorithm.Trace;
import io.penstock.testing.ManualClock;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/**
 * P10 for keys that are used under several limits in any order: none grants more than it would
 * alone.
 */
class AlternatingLimitsTest {
  /** A request under one of the limits, some time after the previous one. */
  record TimedRequest(int limit, double share, long nanos, boolean joint) {}

  private final ManualClock clock = new ManualClock();

  @Test
  void tryAcquire_betweenALargeBurstAndFineUnits_grantsOneBurst() {
    InProcessStore store = InProcessStore.builder().clock(clock).build();
    RateLimiter large = RateLimiter.on(store, "x", Limit.perHour(100).burst(100));
    RateLimiter fine = RateLimiter.on(store, "x", Limit.perSecond(0.3333333333).burst(1));
    int granted = 0;
    for (int i = 0; i < 3_000; i++) {
      if (large.tryAcquire("k")) {
        granted++;
      } else {
        assertThat(fine.tryAcquire("k")).isFalse();
      }
    }
    assertThat(granted).isEqualTo(100);
  }

  @Property(tries = 500)
  void tryAcquire_anyTokenBucketsInAnyOrder_eachStaysWithinItsBound(
      @ForAll("tokenBuckets") List<TokenBucket> limits,
      @ForAll("requests") List<TimedRequest> requests) {
    InProcessStore store = InProcessStore.builder().clock(clock).build();
    List<RateLimiter> limiters = new ArrayList<>();
    List<Trace> traces = new ArrayList<>();
    for (TokenBucket limit : limits) {
      limiters.add(RateLimiter.on(store, "x", limit));
      traces.add(new Trace(limit.rate(), limit.burstThousandths()));
    }
    RateLimiter other = RateLimiter.on(store, "y", Limit.perSecond(1_000).burst(1_000));
    for (TimedRequest request : requests) {
      int which = request.limit % limits.size();
      long cost = Math.max(1, (long) (limits.get(which).burstThousandths() * request.share));
      // As often as it is allowed at one instant.
      for (int i = 0; i < 5 && request(limiters.get(which), other, cost, request.joint); i++) {
        traces.get(which).grant(clock.nanos(), cost);
      }
      clock.advanceNanos(request.nanos);
    }
    traces.forEach(Trace::check);
  }

  private static boolean request(RateLimiter limiter, RateLimiter other, long cost, boolean joint) {
    double tokens = cost / 1_000.0;
    return joint
        ? RateLimiter.all(limiter.at("k", tokens), other.at("k", 0.001)).tryAcquire()
        : limiter.tryAcquire("k", tokens);
  }

  /** Rates and steps are chosen so that every debt is a whole number of thousandths. */
  @Property(tries = 500)
  void tryAcquire_wholeNumbers_agreesWithTheModel(
      @ForAll("wholeBuckets") List<TokenBucket> limits,
      @ForAll("requests") List<TimedRequest> requests) {
    InProcessStore store = InProcessStore.builder().clock(clock).build();
    List<RateLimiter> limiters = new ArrayList<>();
    limits.forEach(limit -> limiters.add(RateLimiter.on(store, "x", limit)));
    Model model = new Model();
    for (TimedRequest request : requests) {
      TokenBucket limit = limits.get(request.limit % limits.size());
      RateLimiter limiter = limiters.get(request.limit % limits.size());
      long cost = Math.max(1, (long) (limit.burstThousandths() * request.share));
      long now = clock.nanos();
      assertThat(limiter.peek("k").remainingThousandths()).isEqualTo(model.remaining(limit, now));
      assertThat(limiter.tryAcquire("k", cost / 1_000.0)).isEqualTo(model.take(limit, now, cost));
      clock.advance(Duration.ofMillis(request.nanos / 1_000_000));
    }
  }

  /** The debt under each limit, in thousandths of a token times nanoseconds. */
  private static final class Model {
    private final Map<TokenBucket, BigInteger> missing = new LinkedHashMap<>();
    private long at;

    long remaining(TokenBucket limit, long now) {
      elapse(now);
      BigInteger left = burst(limit).subtract(under(limit));
      return left.divide(limit.rate().nanos()).longValueExact();
    }

    boolean take(TokenBucket limit, long now, long cost) {
      elapse(now);
      if (missing.values().stream().allMatch(debt -> debt.signum() == 0)) {
        missing.clear();
      }
      missing.putIfAbsent(limit, under(limit));
      if (missing.get(limit).add(amount(limit, cost)).compareTo(burst(limit)) > 0) {
        return false;
      }
      missing.replaceAll((form, debt) -> debt.add(amount(form, cost)).min(burst(form)));
      return true;
    }

    private void elapse(long now) {
      BigInteger elapsed = BigInteger.valueOf(now - at);
      missing.replaceAll(
          (limit, debt) ->
              debt.subtract(limit.rate().thousandths().multiply(elapsed)).max(BigInteger.ZERO));
      at = now;
    }

    private BigInteger under(TokenBucket limit) {
      BigInteger own = missing.get(limit);
      BigInteger most = own == null ? BigInteger.ZERO : own;
      if (own == null) {
        for (Map.Entry<TokenBucket, BigInteger> form : missing.entrySet()) {
          BigInteger thousandths = form.getValue().divide(form.getKey().rate().nanos());
          most = most.max(thousandths.multiply(limit.rate().nanos()));
        }
      }
      return most.min(burst(limit));
    }

    private static BigInteger burst(TokenBucket limit) {
      return amount(limit, limit.burstThousandths());
    }

    private static BigInteger amount(TokenBucket limit, long thousandths) {
      return limit.rate().nanos().multiply(BigInteger.valueOf(thousandths));
    }
  }

  @Property(tries = 500)
  void tryAcquire_anyWindowsInAnyOrder_eachGrantsNoMoreThanAlone(
      @ForAll("windows") List<WindowLimit> limits,
      @ForAll("requests") List<TimedRequest> requests) {
    InProcessStore store = InProcessStore.builder().clock(clock).build();
    List<RateLimiter> together = new ArrayList<>();
    List<RateLimiter> alone = new ArrayList<>();
    for (int i = 0; i < limits.size(); i++) {
      together.add(RateLimiter.on(store, "x", limits.get(i)));
      alone.add(RateLimiter.on(store, "alone-" + i, limits.get(i)));
    }
    for (TimedRequest request : requests) {
      int which = request.limit % limits.size();
      for (int i = 0; i < 30 && together.get(which).tryAcquire("k"); i++) {
        // Everything that was granted here is also allowed by the same limit alone.
        assertThat(alone.get(which).tryAcquire("k")).as("%s", limits).isTrue();
      }
      clock.advanceNanos(request.nanos);
    }
  }

  @Test
  void tryAcquire_windowsOfDifferentLengths_grantNoMoreThanTheLooserAlone() {
    InProcessStore store = InProcessStore.builder().clock(clock).build();
    RateLimiter longer = RateLimiter.on(store, "x", Limit.fixedWindow(16, Duration.ofSeconds(15)));
    RateLimiter shorter = RateLimiter.on(store, "x", Limit.fixedWindow(11, Duration.ofSeconds(11)));
    int byLonger = 0;
    int byShorter = 0;
    // Windows of 11 s end at 44 s, those of 15 s at 45 s.
    clock.set(Duration.ofMillis(43_950).toNanos());
    for (int i = 0; i < 22; i++) {
      for (int n = 0; n < 20; n++) {
        byShorter += shorter.tryAcquire("k") ? 1 : 0;
        byLonger += longer.tryAcquire("k") ? 1 : 0;
      }
      clock.advance(Duration.ofMillis(50));
    }
    assertThat(byLonger + byShorter).isLessThanOrEqualTo(32);
    assertThat(byShorter).isLessThanOrEqualTo(22);
  }

  @Test
  void tryAcquire_windowsAtOneInstant_grantNoMoreThanTheLargest() {
    InProcessStore store = InProcessStore.builder().clock(clock).build();
    RateLimiter longer = RateLimiter.on(store, "x", Limit.fixedWindow(16, Duration.ofSeconds(15)));
    RateLimiter shorter = RateLimiter.on(store, "x", Limit.slidingLog(11, Duration.ofSeconds(11)));
    int granted = 0;
    for (int i = 0; i < 100; i++) {
      granted += (i % 2 == 0 ? longer : shorter).tryAcquire("k") ? 1 : 0;
    }
    assertThat(granted).isEqualTo(16);
  }

  @Provide
  Arbitrary<List<TokenBucket>> tokenBuckets() {
    return LimitArbitraries.tokenBuckets().list().ofMinSize(2).ofMaxSize(3);
  }

  @Provide
  Arbitrary<List<TokenBucket>> wholeBuckets() {
    return Combinators.combine(Arbitraries.of(1, 2, 5, 10), Arbitraries.of(1, 3, 10, 100))
        .as((rate, burst) -> Limit.perSecond(rate).burst(burst))
        .list()
        .uniqueElements()
        .ofMinSize(2)
        .ofMaxSize(3);
  }

  @Provide
  Arbitrary<List<WindowLimit>> windows() {
    return Combinators.combine(
            Arbitraries.of(WindowLimit.Counting.values()),
            Arbitraries.integers().between(1, 20),
            Arbitraries.integers().between(1, 5))
        .as(
            (kind, limit, seconds) ->
                new WindowLimit(kind, limit * 1_000L, Duration.ofSeconds(seconds)))
        .list()
        .ofMinSize(2)
        .ofMaxSize(3);
  }

  @Provide
  Arbitrary<List<TimedRequest>> requests() {
    return Combinators.combine(
            Arbitraries.integers().between(0, 2),
            Arbitraries.of(0.01, 0.2, 0.5, 1.0),
            Arbitraries.of(0L, 0L, 1_000_000L, 300_000_000L, 1_000_000_000L, 7_000_000_000L),
            Arbitraries.of(true, false))
        .as(TimedRequest::new)
        .list()
        .ofMinSize(5)
        .ofMaxSize(60);
  }
}
