package io.penstock.inprocess;

import io.penstock.JointRequest;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Test;

/** A striped bucket is linearizable: its claims are invisible to every operation. */
public class StripesLincheckTest {
  /** An operation counts as hung after this time; the default of 10 s passes on a busy machine. */
  private static final long HANG_MILLIS = 300_000;

  /** Each takes seconds, so only the full build checks many. */
  private static final boolean FULL = Boolean.getBoolean("penstock.full");

  private static final int SCENARIOS = FULL ? 10 : 1;
  private static final int RUNS = FULL ? 10 : 2;
  private static final int INVOCATIONS = FULL ? 150 : 50;

  private final InProcessStore store =
      InProcessStore.builder()
          .clock(new FrozenClock())
          .hash(new SipHash(1, 2))
          .striping(StripesTest.ALWAYS)
          .build();
  private final RateLimiter limiter = RateLimiter.on(store, "x", Limit.perDay(1).burst(64));
  private final RateLimiter other = RateLimiter.on(store, "y", Limit.perDay(1).burst(3));
  private final JointRequest joint = RateLimiter.all(limiter.at("k"), other.at("k"));

  /** Starts striped, with a claim of which something is left. */
  public StripesLincheckTest() {
    limiter.tryAcquire("k", 25);
    limiter.tryAcquire("k");
    limiter.tryAcquire("k", 0.5);
  }

  @Operation
  public boolean tryAcquire() {
    return limiter.tryAcquire("k");
  }

  @Operation
  public boolean tryAcquireHalf() {
    return limiter.tryAcquire("k", 0.5);
  }

  @Operation
  public boolean tryAcquireMany() {
    return limiter.tryAcquire("k", 35.5);
  }

  @Operation
  public double peek() {
    return limiter.peek("k").remaining();
  }

  @Operation
  public double decide() {
    return limiter.take("k", 2).remaining();
  }

  @Operation
  public void charge() {
    limiter.charge("k", 30);
  }

  @Operation
  public void refund() {
    limiter.refund("k", 12);
  }

  @Operation
  public boolean takeJointly() {
    return joint.tryAcquire();
  }

  @Test
  void everyInterleaving_ofTwoThreads_isLinearizable() {
    new ModelCheckingOptions()
        .invocationTimeout$lincheck(HANG_MILLIS)
        .iterations(SCENARIOS)
        .invocationsPerIteration(INVOCATIONS)
        .threads(2)
        .actorsPerThread(3)
        .actorsBefore(1)
        .actorsAfter(2)
        .check(getClass());
  }

  @Test
  void manyRuns_ofThreeThreads_areLinearizable() {
    new StressOptions()
        .invocationTimeout$lincheck(HANG_MILLIS)
        .iterations(RUNS)
        .invocationsPerIteration(500)
        .threads(3)
        .actorsPerThread(3)
        .check(getClass());
  }
}
