package io.penstock.inprocess;

import io.penstock.JointRequest;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import java.time.Duration;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Test;

/** One key under two limits is linearizable, alone and together with a window. */
public class TiersLincheckTest {
  /** An operation counts as hung after this time; the default of 10 s passes on a busy machine. */
  private static final long HANG_MILLIS = 300_000;

  private static final int RUNS = Boolean.getBoolean("penstock.full") ? 10 : 2;

  private final InProcessStore store =
      InProcessStore.builder().clock(new FrozenClock()).hash(new SipHash(1, 2)).build();
  private final RateLimiter large = RateLimiter.on(store, "x", Limit.perDay(1).burst(3));
  private final RateLimiter small = RateLimiter.on(store, "x", Limit.perDay(2).burst(2));
  private final RateLimiter window =
      RateLimiter.on(store, "w", Limit.fixedWindow(3, Duration.ofDays(1)));
  private final JointRequest joint = RateLimiter.all(small.at("k"), window.at("k"));

  @Operation
  public boolean takeLarge() {
    return large.tryAcquire("k");
  }

  @Operation
  public boolean takeSmall() {
    return small.tryAcquire("k");
  }

  @Operation
  public double peekLarge() {
    return large.peek("k").remaining();
  }

  @Operation
  public boolean takeJointly() {
    return joint.tryAcquire();
  }

  @Operation
  public double peekWindow() {
    return window.peek("k").remaining();
  }

  @Operation
  public void refundLarge() {
    large.refund("k", 1);
  }

  @Test
  void manyRuns_ofThreeThreads_areLinearizable() {
    new StressOptions()
        .invocationTimeout$lincheck(HANG_MILLIS)
        .iterations(RUNS)
        .invocationsPerIteration(300)
        .threads(3)
        .actorsPerThread(3)
        .check(getClass());
  }
}
