package io.penstock;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.inprocess.InProcessStore;
import io.penstock.testing.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** Figures that were calculated by hand when the semantics were defined. */
class SeedsTest {
  private static final long SECOND = 1_000_000_000;

  private final ManualClock clock = new ManualClock();
  private final Store store = InProcessStore.builder().clock(clock).build();

  private RateLimiter limiter(double rate, double burst) {
    return RateLimiter.on(store, "seed", Limit.perSecond(rate).burst(burst));
  }

  private static int taken(RateLimiter limiter, int requests) {
    int taken = 0;
    for (int i = 0; i < requests; i++) {
      taken += limiter.tryAcquire("abc") ? 1 : 0;
    }
    return taken;
  }

  @Test
  void seed000_twentyAtFiveASecond_blocksThe21stAndBringsFiveBack() {
    RateLimiter search = limiter(5, 20);

    for (int left = 19; left >= 0; left--) {
      assertThat(search.take("abc").remaining()).isEqualTo(left);
    }
    Decision blocked = search.take("abc");
    assertThat(blocked.allowed()).isFalse();
    assertThat(blocked.retryAfter()).isEqualTo(Duration.ofMillis(200));

    clock.advance(Duration.ofSeconds(1));
    assertThat(search.peek("abc").remaining()).isEqualTo(5);
    assertThat(search.take("abc").remaining()).isEqualTo(4);
  }

  @Test
  void seed000_threeLeftAnd45SecondsIdle_leaves19AfterOne() {
    RateLimiter search = limiter(5, 20);
    search.take("abc", 17);
    assertThat(search.peek("abc").remaining()).isEqualTo(3);

    clock.advance(Duration.ofSeconds(45));

    assertThat(search.take("abc").remaining()).isEqualTo(19);
  }

  @Test
  void seed000_tenHoursIdle_is20AndNotMore() {
    RateLimiter search = limiter(5, 20);
    search.take("abc", 20);

    clock.advance(Duration.ofHours(10));

    assertThat(taken(search, 100)).isEqualTo(20);
  }

  @Test
  void seed000_login_isFiveThen83InAThousandSeconds() {
    RateLimiter login = limiter(0.083, 5);
    assertThat(taken(login, 10)).isEqualTo(5);

    // 1 / 0.083 s = 12.048192771... s
    assertThat(login.take("abc").retryAfter()).isEqualTo(Duration.ofNanos(12_048_192_772L));
    int back = 0;
    for (int second = 1; second <= 1_000; second++) {
      clock.advance(Duration.ofSeconds(1));
      back += taken(login, 1);
    }
    assertThat(back).isEqualTo(83);
  }

  @Test
  void seed000_payment_isThreeThenOneInAboutAMinute() {
    RateLimiter payment = limiter(0.016, 3);
    assertThat(taken(payment, 10)).isEqualTo(3);

    assertThat(payment.take("abc").retryAfter()).isEqualTo(Duration.ofMillis(62_500));
    clock.advance(Duration.ofMillis(62_500));
    assertThat(taken(payment, 10)).isEqualTo(1);
  }

  @Test
  void seed001_refillAndCost_followTheFormula() {
    RateLimiter rps = limiter(100, 1_000);
    rps.take("abc", 1_000);

    clock.advance(Duration.ofMillis(35));
    assertThat(rps.peek("abc").remaining()).isEqualTo(3.5);
    // (5 - 3.5) / 100 s
    assertThat(rps.take("abc", 5).retryAfter()).isEqualTo(Duration.ofMillis(15));

    clock.advance(Duration.ofMillis(15));
    assertThat(rps.take("abc", 5).allowed()).isTrue();
    assertThat(rps.peek("abc").remaining()).isZero();
  }

  @Test
  void seed001_clockBack_refillsNothing() {
    RateLimiter ip = limiter(5, 10);
    clock.advance(Duration.ofHours(1));
    assertThat(taken(ip, 20)).isEqualTo(10);

    clock.advance(Duration.ofMinutes(-10));

    assertThat(taken(ip, 20)).isZero();
    clock.advance(Duration.ofSeconds(2));
    assertThat(taken(ip, 20)).isEqualTo(10);
  }

  @Test
  void seed004_burstAtOneInstant_rejectsThe11th() {
    assertThat(taken(limiter(5, 10), 11)).isEqualTo(10);
  }

  @Test
  void seed004_aSecondAfterEmpty_leavesFour() {
    RateLimiter edge = limiter(5, 10);
    edge.take("abc", 10);

    clock.advance(Duration.ofSeconds(1));

    Decision decision = edge.take("abc");
    assertThat(decision.allowed()).isTrue();
    assertThat(decision.remaining()).isEqualTo(4);
  }

  @Test
  void seed004_empty_asksToRetryInASecond() {
    RateLimiter edge = limiter(5, 10);
    edge.take("abc", 10);

    Duration retryAfter = edge.take("abc").retryAfter();

    assertThat(retryAfter).isEqualTo(Duration.ofMillis(200));
    assertThat(retryAfter.plusNanos(SECOND - 1).toSeconds()).isEqualTo(1);
  }

  @Test
  void seed004_longIdle_isNeverAboveCapacity() {
    RateLimiter edge = limiter(5, 10);
    edge.take("abc", 10);

    clock.advance(Duration.ofDays(365));

    assertThat(edge.peek("abc").remaining()).isEqualTo(10);
    assertThat(taken(edge, 100)).isEqualTo(10);
  }

  @Test
  void seed002_64CallersOnTheSystemClock_getExactlyTheLimit() throws Exception {
    Run run = Run.of(System::nanoTime);

    assertThat(run.grantedWithinThreeSeconds()).isLessThanOrEqualTo(40);
    assertThat(run.largestExcess()).isLessThanOrEqualTo(10 * SECOND);
    // A denial is correct only if less than one token was left at that time.
    assertThat((run.grantedUntil(run.lastDenial) + 1) * SECOND)
        .isGreaterThan(run.dueAtLastDenial());
  }

  /**
   * The clock advances with each reading, so that a stalled machine can't cause a token to expire.
   */
  @Test
  void seed002_64CallersOnAClockThatTheyAdvance_getAtMost40AndAtLeast39() throws Exception {
    AtomicLong time = new AtomicLong();
    Run run = Run.of(() -> time.addAndGet(10_000));

    assertThat(run.grantedWithinThreeSeconds()).isBetween(39L, 40L);
    assertThat(run.largestExcess()).isLessThanOrEqualTo(10 * SECOND);
    assertThat((run.grantedUntil(run.lastDenial) + 1) * SECOND)
        .isGreaterThan(run.dueAtLastDenial());
  }

  /** What 64 threads got from one bucket of 10 at 10 per second, by the times of the decisions. */
  private record Run(List<Long> grants, long lastDenial) {
    private static final int CALLERS = 64;
    private static final long LENGTH = 3 * SECOND + SECOND / 5;

    static Run of(LongSupplier source) throws InterruptedException {
      Witness witness = new Witness(source);
      RateLimiter hot =
          RateLimiter.on(
              InProcessStore.builder().clock(witness).build(),
              "hot",
              Limit.perSecond(10).burst(10));
      List<Long> grants = Collections.synchronizedList(new ArrayList<>());
      AtomicLong lastDenial = new AtomicLong(Long.MIN_VALUE);
      long end = source.getAsLong() + LENGTH;
      List<Thread> callers = new ArrayList<>();
      for (int i = 0; i < CALLERS; i++) {
        callers.add(
            new Thread(
                () -> lastDenial.accumulateAndGet(hammer(hot, witness, end, grants), Math::max)));
      }
      callers.forEach(Thread::start);
      for (Thread caller : callers) {
        caller.join();
      }
      return new Run(grants.stream().sorted().toList(), lastDenial.get());
    }

    private static long hammer(RateLimiter hot, Witness witness, long end, List<Long> grants) {
      long denied = Long.MIN_VALUE;
      long now;
      do {
        boolean allowed = hot.take("k").allowed();
        now = witness.lastReading.get();
        if (allowed) {
          grants.add(now);
        } else {
          denied = now;
        }
      } while (now < end);
      return denied;
    }

    long grantedUntil(long instant) {
      return grants.stream().filter(time -> time <= instant).count();
    }

    long grantedWithinThreeSeconds() {
      return grantedUntil(grants.get(0) + 3 * SECOND);
    }

    /** In token-nanoseconds, like the next field. */
    long dueAtLastDenial() {
      return 10 * SECOND + 10 * (lastDenial - grants.get(0));
    }

    /** The largest amount granted in any interval in excess of what was refilled during it. */
    long largestExcess() {
      long largest = 0;
      long excess = 0;
      long previous = grants.get(0);
      for (long time : grants) {
        excess = Math.max(0, excess - 10 * (time - previous)) + SECOND;
        largest = Math.max(largest, excess);
        previous = time;
      }
      return largest;
    }
  }

  /**
   * A clock that remembers the last reading of each thread, which is the time of its last decision.
   */
  private record Witness(LongSupplier source, ThreadLocal<Long> lastReading) implements NanoClock {
    Witness(LongSupplier source) {
      this(source, new ThreadLocal<>());
    }

    @Override
    public long nanos() {
      long now = source.getAsLong();
      lastReading.set(now);
      return now;
    }

    @Override
    public void sleep(long nanos) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void schedule(long nanos, Runnable task) {
      throw new UnsupportedOperationException();
    }
  }
}
