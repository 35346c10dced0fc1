package io.penstock.inprocess;

import io.penstock.Limit;
import io.penstock.RateLimiter;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Test;

/** The keyed limiter is linearizable. */
@Param(name = "key", gen = IntGen.class, conf = "1:2")
public class LimiterLincheckTest {
  /** An operation counts as hung after this time; the default of 10 s passes on a busy machine. */
  private static final long HANG_MILLIS = 300_000;

  /** Each takes seconds, so only the full build checks many. */
  private static final boolean FULL = Boolean.getBoolean("penstock.full");

  private static final int SCENARIOS = FULL ? 10 : 1;
  private static final int RUNS = FULL ? 10 : 2;
  private static final int INVOCATIONS = FULL ? 150 : 50;

  private final RateLimiter limiter =
      RateLimiter.on(
          InProcessStore.builder().clock(new FrozenClock()).hash(new SipHash(1, 2)).build(),
          "x",
          Limit.perDay(1).burst(3));

  @Operation
  public boolean tryAcquire(@Param(name = "key") int key) {
    return limiter.tryAcquire("key-" + key);
  }

  @Operation
  public double decideTwo(@Param(name = "key") int key) {
    return limiter.take("key-" + key, 2).remaining();
  }

  @Operation
  public double peek(@Param(name = "key") int key) {
    return limiter.peek("key-" + key).remaining();
  }

  @Operation
  public void charge(@Param(name = "key") int key) {
    limiter.charge("key-" + key, 4);
  }

  @Operation
  public void refund(@Param(name = "key") int key) {
    limiter.refund("key-" + key, 1);
  }

  @Operation
  public void reset(@Param(name = "key") int key) {
    limiter.reset("key-" + key);
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
