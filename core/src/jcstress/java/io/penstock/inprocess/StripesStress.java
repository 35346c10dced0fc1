package io.penstock.inprocess;

import io.penstock.JointRequest;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.IIZ_Result;

/** Races in striped buckets: taking from a cell while it is refilled or closed. */
public final class StripesStress {
  private StripesStress() {}

  /** A bucket of 64 tokens that is striped as soon as half of it is consumed. */
  static RateLimiter limiter(int consumed) {
    InProcessStore store =
        InProcessStore.builder()
            .clock(new FrozenClock())
            .hash(new SipHash(1, 2))
            .maxKeys(64)
            .striping(new Striping(0, 2, 1))
            .build();
    RateLimiter limiter = RateLimiter.on(store, "x", Limit.perDay(10).burst(64));
    limiter.tryAcquire("key", consumed - 2);
    limiter.tryAcquire("key");
    limiter.tryAcquire("key");
    return limiter;
  }

  static int take(RateLimiter limiter, int times) {
    int granted = 0;
    for (int i = 0; i < times; i++) {
      granted += limiter.tryAcquire("key") ? 1 : 0;
    }
    return granted;
  }

  @JCStressTest
  @State
  @Outcome(
      id = {
        "8, 2, false",
        "7, 3, false",
        "6, 4, false",
        "5, 5, false",
        "4, 6, false",
        "3, 7, false",
        "2, 8, false"
      },
      expect = Expect.ACCEPTABLE,
      desc = "Every available token was granted once.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "A claim created or lost tokens.")
  public static class TwoTakeTheLastTokens {
    private final RateLimiter limiter = limiter(54);

    @Actor
    public void first(IIZ_Result result) {
      result.r1 = take(limiter, 8);
    }

    @Actor
    public void second(IIZ_Result result) {
      result.r2 = take(limiter, 8);
    }

    @Arbiter
    public void afterwards(IIZ_Result result) {
      result.r3 = limiter.tryAcquire("key");
    }
  }

  @JCStressTest
  @State
  @Outcome(id = "5, [0-5], 25", expect = Expect.ACCEPTABLE, desc = "The peek saw some of them.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "Closing the stripes created or lost tokens.")
  public static class TakenWhileTheStripesAreClosed {
    private final RateLimiter limiter = limiter(34);

    @Actor
    public void takes(III_Result result) {
      result.r1 = take(limiter, 5);
    }

    @Actor
    public void peeks(III_Result result) {
      result.r2 = 30 - (int) limiter.peek("key").remaining();
    }

    @Arbiter
    public void afterwards(III_Result result) {
      result.r3 = (int) limiter.peek("key").remaining();
    }
  }

  @JCStressTest
  @State
  @Outcome(id = "5, 2, 23", expect = Expect.ACCEPTABLE, desc = "Both took what they asked for.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "Holding the bucket created or lost tokens.")
  public static class TakenWhileABucketIsHeld {
    private final RateLimiter limiter = limiter(34);
    private final JointRequest joint = RateLimiter.all(limiter.at("key"), limiter.at("other"));

    @Actor
    public void takes(III_Result result) {
      result.r1 = take(limiter, 5);
    }

    @Actor
    public void holds(III_Result result) {
      result.r2 += joint.tryAcquire() ? 1 : 0;
      result.r2 += joint.tryAcquire() ? 1 : 0;
    }

    @Arbiter
    public void afterwards(III_Result result) {
      result.r3 = (int) limiter.peek("key").remaining();
    }
  }
}
