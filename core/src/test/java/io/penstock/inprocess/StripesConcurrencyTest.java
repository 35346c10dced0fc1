package io.penstock.inprocess;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.JointRequest;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.TokenBucket;
import io.penstock.algorithm.Trace;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** P1 and P2 of striped buckets with many threads: no token is created or lost. */
class StripesConcurrencyTest {
  private static final int THREADS = 8;

  /** Cells that hold several requests, and fewer of them than threads. */
  private static final Striping SHARED_CELLS = new Striping(0, 4, 4);

  @Test
  void tryAcquire_untilEveryThreadIsDenied_grantsTheBurst() throws Exception {
    RateLimiter limiter =
        RateLimiter.on(store(new SteppingClock(0)), "x", Limit.perSecond(1).burst(100_000));
    AtomicLong granted = new AtomicLong();
    Parallel.run(
        THREADS,
        thread -> {
          while (limiter.tryAcquire("k")) {
            granted.incrementAndGet();
          }
        });
    assertThat(granted).hasValue(100_000);
  }

  /** Each request reads the clock a few times, and refills less than it takes. */
  @Test
  void tryAcquire_whileTheBucketRefills_grantsEveryTokenOnce() throws Exception {
    SteppingClock clock = new SteppingClock(200_000);
    TokenBucket limit = Limit.perSecond(1_000).burst(40_000);
    RateLimiter limiter = RateLimiter.on(store(clock), "x", limit);
    Trace trace = new Trace(limit.rate(), limit.burstThousandths());
    limiter.charge("k", 20_000);
    long start = clock.last.get();
    Parallel.run(
        THREADS,
        thread -> {
          for (int i = 0; i < 5_000; i++) {
            if (limiter.tryAcquire("k")) {
              trace.grant(clock.last.get(), 1_000);
            }
          }
        });
    trace.check();
    // The bucket was never full, so all of the refill counts. 1,000/s is a thousandth per µs.
    long remaining = limiter.peek("k").remainingThousandths();
    long refilled = (clock.last.get() - start) / 1_000;
    assertThat(remaining).isEqualTo(20_000_000 + refilled - trace.size() * 1_000L);
  }

  @Test
  void tryAcquire_amongAllOtherOperations_losesNothing() throws Exception {
    InProcessStore store = store(new SteppingClock(0));
    RateLimiter limiter = RateLimiter.on(store, "x", Limit.perSecond(1).burst(400_000));
    RateLimiter other = RateLimiter.on(store, "y", Limit.perSecond(1).burst(1_000_000));
    JointRequest joint = RateLimiter.all(limiter.at("k"), other.at("k"));
    limiter.charge("k", 200_000);
    AtomicLong net = new AtomicLong();
    Parallel.run(
        THREADS,
        thread -> {
          for (int i = 0; i < 20_000; i++) {
            net.addAndGet(limiter.tryAcquire("k") ? 1 : 0);
            switch (i % 64) {
              case 7 -> limiter.peek("k");
              case 17 -> net.addAndGet(limiter.take("k", 3).allowed() ? 3 : 0);
              case 27 -> {
                limiter.refund("k", 2);
                net.addAndGet(-2);
              }
              case 37 -> {
                limiter.charge("k", 1);
                net.addAndGet(1);
              }
              case 47 -> net.addAndGet(joint.tryAcquire() ? 1 : 0);
              case 57 -> limiter.tryAcquire("new-" + thread + "-" + i);
              default -> {}
            }
          }
        });
    assertThat(limiter.peek("k").remaining()).isEqualTo((double) (200_000 - net.get()));
  }

  private static InProcessStore store(SteppingClock clock) {
    return InProcessStore.builder().clock(clock).maxKeys(10_000).striping(SHARED_CELLS).build();
  }
}
