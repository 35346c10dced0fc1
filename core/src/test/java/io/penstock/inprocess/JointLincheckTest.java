package io.penstock.inprocess;

import io.penstock.GlobalLimiter;
import io.penstock.JointRequest;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Test;

/**
 * Joint requests are linearizable with each other and with single requests: no request observes
 * tokens taken by a request that is then denied.
 */
public class JointLincheckTest {
  /** An operation counts as hung after this time; the default of 10 s passes on a busy machine. */
  private static final long HANG_MILLIS = 300_000;

  /** Each takes seconds, so only the full build checks many. */
  private static final boolean FULL = Boolean.getBoolean("penstock.full");

  private static final int SCENARIOS = FULL ? 10 : 1;
  private static final int RUNS = FULL ? 10 : 2;
  private static final int INVOCATIONS = FULL ? 150 : 50;

  private final FrozenClock clock = new FrozenClock();
  private final InProcessStore store =
      InProcessStore.builder().clock(clock).hash(new SipHash(1, 2)).build();
  private final RateLimiter user = RateLimiter.on(store, "user", Limit.perDay(1).burst(2));
  private final GlobalLimiter all = RateLimiter.on(store, "all", Limit.perDay(1).burst(3)).global();
  private final JointRequest first = RateLimiter.all(user.at("u"), all.at());
  private final JointRequest second = RateLimiter.all(all.at(), user.at("v"));

  @Operation
  public boolean takeFirst() {
    return first.tryAcquire();
  }

  @Operation
  public String takeSecond() {
    return second.take().toString();
  }

  @Operation
  public boolean takeUser() {
    return user.tryAcquire("u");
  }

  @Operation
  public double peekUser() {
    return user.peek("u").remaining();
  }

  @Operation
  public double takeAll() {
    return all.take().remaining();
  }

  @Operation
  public void refundUser() {
    user.refund("u", 1);
  }

  @Test
  void everyInterleaving_ofTwoThreads_isLinearizable() {
    new ModelCheckingOptions()
        .invocationTimeout$lincheck(HANG_MILLIS)
        .iterations(SCENARIOS)
        .invocationsPerIteration(INVOCATIONS)
        .threads(2)
        .actorsPerThread(3)
        .actorsBefore(0)
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
