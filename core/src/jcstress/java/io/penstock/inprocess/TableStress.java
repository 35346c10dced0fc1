package io.penstock.inprocess;

import io.penstock.JointRequest;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import java.time.Duration;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIZ_Result;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Races in the table: adding, moving and evicting a key, and holding several buckets at once. */
public final class TableStress {
  private TableStress() {}

  static RateLimiter limiter(long maxKeys, double burst) {
    InProcessStore store =
        InProcessStore.builder()
            .clock(new FrozenClock())
            .hash(new SipHash(1, 2))
            .maxKeys(maxKeys)
            .build();
    return RateLimiter.on(store, "x", Limit.perDay(10).burst(burst));
  }

  @JCStressTest
  @State
  @Outcome(
      id = {"true, false", "false, true"},
      expect = Expect.ACCEPTABLE,
      desc = "One thread got the token.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "Both threads got one token, or none did.")
  public static class TwoAddTheSameKey {
    private final RateLimiter limiter = limiter(64, 1);

    @Actor
    public void first(ZZ_Result result) {
      result.r1 = limiter.tryAcquire("key");
    }

    @Actor
    public void second(ZZ_Result result) {
      result.r2 = limiter.tryAcquire("key");
    }
  }

  @JCStressTest
  @State
  @Outcome(
      id = "3, 10, false",
      expect = Expect.ACCEPTABLE,
      desc = "Every available token was granted once.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "The move lost or duplicated a state.")
  public static class TakenWhileTheChunkIsRebuilt {
    private final RateLimiter limiter = limiter(64, 3);

    @Actor
    public void takes(IIZ_Result result) {
      for (int i = 0; i < 5; i++) {
        result.r1 += limiter.tryAcquire("key") ? 1 : 0;
      }
    }

    @Actor
    public void addsOthers(IIZ_Result result) {
      for (int i = 0; i < 10; i++) {
        result.r2 += limiter.tryAcquire("other-" + i) ? 1 : 0;
      }
    }

    @Arbiter
    public void afterwards(IIZ_Result result) {
      result.r3 = limiter.tryAcquire("key");
    }
  }

  @JCStressTest
  @State
  @Outcome(id = "3, 10, false", expect = Expect.ACCEPTABLE, desc = "The spent key was kept.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "A spent key was evicted although others could be.")
  public static class TakenWhileOthersAreEvicted {
    private final RateLimiter limiter = limiter(4, 3);

    public TakenWhileOthersAreEvicted() {
      limiter.tryAcquire("key", 2.5);
      limiter.refund("key", 2.5);
      limiter.charge("key", 3);
    }

    @Actor
    public void requests(IIZ_Result result) {
      for (int i = 0; i < 3; i++) {
        result.r1 += limiter.tryAcquire("key") ? 0 : 1;
      }
    }

    @Actor
    public void floods(IIZ_Result result) {
      for (int i = 0; i < 10; i++) {
        result.r2 += limiter.tryAcquire("flood-" + i) ? 1 : 0;
      }
    }

    @Arbiter
    public void afterwards(IIZ_Result result) {
      result.r3 = limiter.tryAcquire("key");
    }
  }

  @JCStressTest
  @State
  @Outcome(
      id = {"1, 0", "0, 1"},
      expect = Expect.ACCEPTABLE,
      desc = "One thread got both.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "Both threads did, or they denied each other.")
  public static class TwoHoldTheSameBuckets {
    private final RateLimiter limiter = limiter(64, 1);
    private final JointRequest forth = RateLimiter.all(limiter.at("a"), limiter.at("b"));
    private final JointRequest back = RateLimiter.all(limiter.at("b"), limiter.at("a"));

    @Actor
    public void first(II_Result result) {
      result.r1 = forth.tryAcquire() ? 1 : 0;
    }

    @Actor
    public void second(II_Result result) {
      result.r2 = back.tryAcquire() ? 1 : 0;
    }
  }

  @JCStressTest
  @State
  @Outcome(
      id = {"2, 3", "3, 2", "4, 1", "5, 0", "1, 4", "0, 5"},
      expect = Expect.ACCEPTABLE)
  @Outcome(expect = Expect.FORBIDDEN, desc = "The change created or lost tokens.")
  public static class TakenWhileTheLimitIsReplaced {
    private final RateLimiter limiter = limiter(64, 5);

    @Actor
    public void takes(II_Result result) {
      for (int i = 0; i < 5; i++) {
        result.r1 += limiter.tryAcquire("key") ? 1 : 0;
      }
    }

    @Actor
    public void replaces(II_Result result) {
      for (int i = 0; i < 5; i++) {
        limiter.replaceLimit(Limit.perDay(i % 2 == 0 ? 20 : 10).burst(5));
        result.r2 += limiter.tryAcquire("key") ? 1 : 0;
      }
    }
  }

  @JCStressTest
  @State
  @Outcome(
      id = {"1, 0", "0, 1"},
      expect = Expect.ACCEPTABLE,
      desc = "One thread got the bucket and the window.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "Both threads did, or they denied each other.")
  public static class TwoHoldABucketAndAWindow {
    private final RateLimiter limiter = limiter(64, 1);
    private final RateLimiter window =
        RateLimiter.on(
            InProcessStore.builder().clock(new FrozenClock()).hash(new SipHash(1, 2)).build(),
            "w",
            Limit.fixedWindow(1, Duration.ofDays(1)));
    private final JointRequest forth = RateLimiter.all(limiter.at("a"), window.at("b"));
    private final JointRequest back = RateLimiter.all(window.at("b"), limiter.at("a"));

    @Actor
    public void first(II_Result result) {
      result.r1 = forth.tryAcquire() ? 1 : 0;
    }

    @Actor
    public void second(II_Result result) {
      result.r2 = back.tryAcquire() ? 1 : 0;
    }
  }

  @JCStressTest
  @State
  @Outcome(
      id = {"5, 0", "4, 1", "3, 2", "2, 3"},
      expect = Expect.ACCEPTABLE,
      desc = "At most the larger burst in total, and the smaller one under its own limit.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "Tokens were created or lost between the limits.")
  public static class TakenUnderTwoLimits {
    private final InProcessStore store =
        InProcessStore.builder()
            .clock(new FrozenClock())
            .hash(new SipHash(1, 2))
            .maxKeys(64)
            .build();
    private final RateLimiter larger = RateLimiter.on(store, "x", Limit.perDay(10).burst(5));
    private final RateLimiter smaller = RateLimiter.on(store, "x", Limit.perDay(20).burst(3));

    @Actor
    public void larger(II_Result result) {
      for (int i = 0; i < 6; i++) {
        result.r1 += larger.tryAcquire("key") ? 1 : 0;
      }
    }

    @Actor
    public void smaller(II_Result result) {
      for (int i = 0; i < 6; i++) {
        result.r2 += smaller.tryAcquire("key") ? 1 : 0;
      }
    }
  }
}
