package io.penstock.inprocess;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.JointRequest;
import io.penstock.Limit;
import io.penstock.NanoClock;
import io.penstock.RateLimiter;
import io.penstock.TokenBucket;
import io.penstock.algorithm.Trace;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * P1, P2 and P3 with many threads. The clock advances a little with every reading, so that no test
 * depends on the speed of the machine.
 */
class ConcurrencyTest {
  private static final int THREADS = 16;

  @Test
  void tryAcquire_manyThreadsOnOneKey_grantsAllThatTheLimitHasAndNoMore() throws Exception {
    SteppingClock clock = new SteppingClock(10_000);
    TokenBucket limit = Limit.perSecond(3_000).burst(100);
    RateLimiter limiter = RateLimiter.on(InProcessStore.builder().clock(clock).build(), "x", limit);
    Trace trace = new Trace(limit.rate(), limit.burstThousandths());
    Parallel.run(
        THREADS,
        thread -> {
          for (int i = 0; i < 20_000; i++) {
            if (limiter.tryAcquire("k")) {
              trace.grant(clock.last.get(), 1_000);
            }
          }
        });
    trace.check();
    // All threads send requests until the end, so hardly any tokens are left.
    double seconds = clock.nanos.get() / 1e9;
    assertThat(trace.size()).isGreaterThan((int) (100 + 3_000 * seconds * 0.99) - 10);
  }

  @Test
  void tryAcquire_newKeysWhileTheTableIsRebuilt_neverOverGrants() throws Exception {
    SteppingClock clock = new SteppingClock(1_000);
    TokenBucket limit = Limit.perSecond(50).burst(3);
    RateLimiter limiter = RateLimiter.on(InProcessStore.builder().clock(clock).build(), "x", limit);
    Trace[] traces = new Trace[300];
    for (int key = 0; key < traces.length; key++) {
      traces[key] = new Trace(limit.rate(), limit.burstThousandths());
    }
    Parallel.run(
        THREADS,
        thread -> {
          for (int i = 0; i < 30_000; i++) {
            int key = (i * 7 + thread) % traces.length;
            if (limiter.tryAcquire("key-" + key)) {
              traces[key].grant(clock.last.get(), 1_000);
            }
            if (i % 4 == 0) {
              limiter.tryAcquire("passing-" + thread + "-" + i);
            }
          }
        });
    for (Trace trace : traces) {
      assertThat(trace.size()).isGreaterThanOrEqualTo(3);
      trace.check();
    }
  }

  @Test
  void tryAcquire_severalLimitsInAnyOrder_spendsTheSameOfEach() throws Exception {
    NanoClock clock = new SteppingClock(0);
    InProcessStore store = InProcessStore.builder().clock(clock).build();
    RateLimiter first = RateLimiter.on(store, "first", Limit.perDay(100).burst(50_000));
    RateLimiter second = RateLimiter.on(store, "second", Limit.perDay(100).burst(30_000));
    RateLimiter third =
        RateLimiter.on(store, "third", Limit.fixedWindow(40_000, java.time.Duration.ofDays(1)));
    AtomicLong granted = new AtomicLong();
    Parallel.run(
        THREADS,
        thread -> {
          JointRequest forth = RateLimiter.all(first.at("a"), second.at("b"), third.at("c"));
          JointRequest back = RateLimiter.all(third.at("c"), second.at("b"), first.at("a"));
          for (int i = 0; i < 3_000; i++) {
            granted.addAndGet((i % 2 == thread % 2 ? forth : back).tryAcquire() ? 1 : 0);
          }
        });
    assertThat(granted).hasValue(30_000);
    assertThat(second.peek("b").remaining()).isZero();
    assertThat(first.peek("a").remaining()).isEqualTo(20_000);
    assertThat(third.peek("c").remaining()).isEqualTo(10_000);
  }

  @Test
  void tryAcquire_atTheCapFromManyThreads_staysWithinIt() throws Exception {
    InProcessStore store =
        InProcessStore.builder().clock(new SteppingClock(1)).maxKeys(1_000).build();
    RateLimiter limiter = RateLimiter.on(store, "x", Limit.perDay(1).burst(2));
    Parallel.run(
        THREADS,
        thread -> {
          for (int i = 0; i < 5_000; i++) {
            assertThat(limiter.tryAcquire("key-" + thread + "-" + i)).isTrue();
            assertThat(store.keys()).isLessThanOrEqualTo(1_000);
          }
        });
    assertThat(store.keys()).isBetween(900L, 1_000L);
  }

  @Test
  void tryAcquire_underSeveralLimitsFromManyThreads_eachStaysWithinItsBound() throws Exception {
    SteppingClock clock = new SteppingClock(10_000);
    InProcessStore store = InProcessStore.builder().clock(clock).build();
    TokenBucket[] limits = {Limit.perSecond(3_000).burst(100), Limit.perSecond(100).burst(500)};
    RateLimiter[] limiters = new RateLimiter[limits.length];
    Trace[] traces = new Trace[limits.length];
    for (int i = 0; i < limits.length; i++) {
      limiters[i] = RateLimiter.on(store, "x", limits[i]);
      traces[i] = new Trace(limits[i].rate(), limits[i].burstThousandths());
    }
    RateLimiter passing = RateLimiter.on(store, "x", Limit.perSecond(50).burst(3));
    Parallel.run(
        THREADS,
        thread -> {
          int which = thread % limits.length;
          JointRequest joint = RateLimiter.all(limiters[which].at("k"));
          for (int i = 0; i < 10_000; i++) {
            if (i % 3 == 0 ? joint.tryAcquire() : limiters[which].tryAcquire("k")) {
              traces[which].grant(clock.last.get(), 1_000);
            }
            if (i % 8 == 0) {
              passing.tryAcquire("passing-" + thread + "-" + i);
            }
          }
        });
    for (Trace trace : traces) {
      assertThat(trace.size()).isGreaterThanOrEqualTo(100);
      trace.check();
    }
  }
}
