package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisURI;
import io.penstock.Decision;
import io.penstock.JointRequest;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.TokenBucket;
import io.penstock.WindowLimit;
import io.penstock.algorithm.Trace;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** P10: nodes with different limits on one bucket, and limits that change. */
@Tag("full")
class TiersIT {
  private static final TokenBucket LOOSE = Limit.perSecond(10).burst(10);
  private static final TokenBucket TIGHT = Limit.perSecond(3).burst(3);
  private static final Duration SECOND = Duration.ofSeconds(1);

  private static RedisProcess redis;
  private static ScriptTime time;

  private RedisStore store;
  private RedisStore another;

  @BeforeAll
  static void start() {
    redis = RedisProcess.start();
    time = new ScriptTime(redis);
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  @BeforeEach
  void open() {
    time.clear();
    store = time.builder().connect(RedisURI.create(redis.url()));
    another = time.builder().connect(RedisURI.create(redis.url()));
  }

  @AfterEach
  void everyKeyEnds() {
    assertThat(redis.keysWithoutTtl()).isEmpty();
    store.close();
    another.close();
  }

  @Test
  void take_nodesAlternating_staysWithinTheLooserAndNeverFreezes() {
    RateLimiter loose = RateLimiter.on(store, "x", LOOSE);
    RateLimiter tight = RateLimiter.on(another, "x", TIGHT);
    Random random = new Random(1);
    for (int stepMillis : new int[] {1, 7, 50, 120, 400}) {
      Trace trace = new Trace(LOOSE.rate(), LOOSE.burstThousandths());
      Trace byTight = new Trace(TIGHT.rate(), TIGHT.burstThousandths());
      int sinceGrant = 0;
      for (int i = 0; i < 400; i++) {
        boolean isTight = i % 2 == 0;
        double cost = random.nextInt(1, 20) / 10.0;
        if ((isTight ? tight : loose).tryAcquire("k", cost)) {
          trace.grant(time.nanos(), (long) (cost * 1_000));
          if (isTight) {
            byTight.grant(time.nanos(), (long) (cost * 1_000));
          }
          sinceGrant = 0;
        }
        sinceGrant += stepMillis;
        assertThat(sinceGrant).as("frozen at steps of %s ms", stepMillis).isLessThan(2_000);
        time.advance(Duration.ofMillis(stepMillis));
      }
      trace.check();
      byTight.check();
      time.advance(Duration.ofSeconds(10));
    }
  }

  @Test
  void take_afterManySlowerLimits_keepsItsBound() {
    for (int i = 1; i <= 20; i++) {
      RateLimiter.on(store, "x", Limit.perMinute(10 * i).burst(10 * i)).take("k", 10 * i);
    }
    TokenBucket last = Limit.perSecond(100).burst(400);
    RateLimiter fast = RateLimiter.on(another, "x", last);
    Trace trace = new Trace(last.rate(), last.burstThousandths());
    for (int i = 0; i < 2_000; i++) {
      if (fast.tryAcquire("k")) {
        trace.grant(time.nanos(), 1_000);
      }
      time.advance(Duration.ofMillis(1));
    }
    trace.check();
  }

  @Test
  void take_underAsManyLimitsAsAreKept_eachKeepsItsBound() {
    List<TokenBucket> limits =
        IntStream.rangeClosed(1, 16)
            .mapToObj(i -> Limit.per(i * i, Duration.ofSeconds(1 + 16 / i)).burst(4 * i * i))
            .toList();
    List<RateLimiter> limiters =
        limits.stream().map(limit -> RateLimiter.on(store, "x", limit)).toList();
    List<Trace> traces =
        limits.stream().map(limit -> new Trace(limit.rate(), limit.burstThousandths())).toList();
    Random random = new Random(1);
    for (int i = 0; i < 4_000; i++) {
      int which = random.nextInt(limits.size());
      int cost = random.nextInt(1, 20);
      if (limiters.get(which).tryAcquire("k", cost)) {
        traces.get(which).grant(time.nanos(), 1_000L * cost);
        if (which < 15) {
          traces.get(15).grant(time.nanos(), 1_000L * cost);
        }
      }
      time.advance(Duration.ofMillis(random.nextInt(20)));
    }
    traces.forEach(Trace::check);
  }

  @Test
  void take_asInProcess_takesFromTheSameBucket() {
    RateLimiter loose = RateLimiter.on(store, "x", LOOSE);
    RateLimiter tight = RateLimiter.on(another, "x", TIGHT);
    loose.take("k", 1);
    assertThat(tight.take("k", 1).remaining()).isEqualTo(1);
    assertThat(loose.peek("k").remaining()).isEqualTo(8);
    assertThat(loose.take("k", 1).remaining()).isEqualTo(7);
    assertThat(tight.take("k", 1).allowed()).isFalse();
  }

  @Test
  void peek_underTheOther_changesNothing() {
    RateLimiter slow = RateLimiter.on(store, "y", Limit.perHour(1).burst(5));
    RateLimiter fast = RateLimiter.on(another, "y", Limit.perSecond(10).burst(5));
    slow.take("k", 5);
    assertThat(fast.peek("k").remaining()).isZero();
    assertThat(fast.peek("k", 1).remaining()).isZero();
    time.advance(Duration.ofMinutes(30));
    assertThat(fast.peek("k").remaining()).isEqualTo(0.5);
    assertThat(slow.peek("k").remaining()).isEqualTo(0.5);
  }

  @Test
  void take_afterAnotherLimitsFirstDenial_staysFull() {
    RateLimiter slow = RateLimiter.on(store, "x", Limit.perHour(1).burst(10));
    RateLimiter fast = RateLimiter.on(another, "x", Limit.perSecond(10).burst(10));
    RateLimiter third = RateLimiter.on(store, "x", Limit.perHour(2).burst(10));
    slow.take("k", 10);
    fast.take("k");
    time.advance(SECOND.multipliedBy(2));
    assertThat(fast.peek("k").remaining()).isEqualTo(10);
    assertThat(third.take("k").allowed()).isFalse();
    assertThat(fast.peek("k").remaining()).isEqualTo(10);
    Decision decision = fast.take("k", 5);
    assertThat(decision.allowed()).isTrue();
    assertThat(decision.remaining()).isEqualTo(5);
    assertThat(slow.tryAcquire("k")).isFalse();
    assertThat(third.tryAcquire("k")).isFalse();
  }

  @Test
  void chargeAndRefund_underTheOther_moveTheSameBucket() {
    RateLimiter loose = RateLimiter.on(store, "x", LOOSE);
    RateLimiter tight = RateLimiter.on(another, "x", TIGHT);
    loose.take("k", 2);
    tight.charge("k", 2);
    assertThat(loose.peek("k").remaining()).isEqualTo(6);
    tight.refund("k", 1);
    assertThat(loose.peek("k").remaining()).isEqualTo(7);
    tight.reset("k");
    assertThat(loose.peek("k").remaining()).isEqualTo(10);
  }

  @Test
  void replaceLimit_whileAnotherUsesTheOldOne_forgivesNothing() {
    RateLimiter limiter = RateLimiter.on(store, "x", LOOSE);
    RateLimiter same = RateLimiter.on(another, "x", LOOSE);
    limiter.take("k", 10);
    limiter.replaceLimit(Limit.perSecond(2).burst(2));
    assertThat(limiter.tryAcquire("k")).isFalse();
    assertThat(same.tryAcquire("k")).isFalse();
    time.advance(Duration.ofMillis(600));
    same.replaceLimit(Limit.perSecond(2).burst(2));
    time.advance(SECOND);
    assertThat(limiter.tryAcquire("k")).isTrue();
    limiter.replaceLimit(LOOSE);
    assertThat(limiter.peek("k").remaining()).isLessThan(10);
  }

  @Test
  void replaceLimit_onOneNodeAfterTheOther_staysWithinTheLooser() {
    RateLimiter first = RateLimiter.on(store, "x", LOOSE);
    RateLimiter second = RateLimiter.on(another, "x", LOOSE);
    Trace trace = new Trace(LOOSE.rate(), LOOSE.burstThousandths());
    for (int i = 0; i < 300; i++) {
      if (i == 100) {
        first.replaceLimit(TIGHT);
      } else if (i == 200) {
        second.replaceLimit(TIGHT);
      }
      if ((i % 2 == 0 ? first : second).tryAcquire("k")) {
        trace.grant(time.nanos(), 1_000);
      }
      time.advance(Duration.ofMillis(i % 40));
    }
    trace.check();
    assertThat(trace.size()).isGreaterThan(30);
  }

  @Test
  void replaceLimit_thereAndBack_carriesWhatIsMissing() {
    RateLimiter limiter = RateLimiter.on(store, "x", LOOSE);
    limiter.take("k", 10);
    limiter.replaceLimit(TIGHT);
    assertThat(limiter.peek("k").remaining()).isZero();
    limiter.replaceLimit(LOOSE);
    assertThat(limiter.peek("k").remaining()).as("at most the burst carries over").isEqualTo(7);
  }

  @Test
  void windows_inTurn_forgiveNothingAndExpire() {
    List<WindowLimit> larges =
        List.of(Limit.fixedWindow(10, SECOND), Limit.slidingWindow(10, SECOND));
    List<WindowLimit> smalls =
        List.of(
            Limit.fixedWindow(3, SECOND),
            Limit.fixedWindow(3, SECOND.multipliedBy(2)),
            Limit.slidingWindow(3, SECOND.multipliedBy(2)));
    for (WindowLimit one : larges) {
      for (WindowLimit other : smalls) {
        time.set(time.micros() / 2_000_000 * 2_000_000 + 4_000_000);
        RateLimiter large = RateLimiter.on(store, one + " " + other, one);
        RateLimiter small = RateLimiter.on(store, one + " " + other, other);
        large.take("k", 10);
        for (int i = 0; i < 5; i++) {
          assertThat(small.peek("k").remaining()).isZero();
          // In one call, so that the second request sees the state that the first left in the
          // script's memory.
          var first = small.takeAsync("k");
          var second = large.takeAsync("k");
          assertThat(first.toCompletableFuture().join().allowed()).isFalse();
          assertThat(second.toCompletableFuture().join().allowed()).isFalse();
        }
        // Grants beyond the small limit count in its next window as well.
        time.advance(SECOND.multipliedBy(6));
        assertThat(small.tryAcquire("k")).isTrue();
        assertThat(large.peek("k").remaining()).isEqualTo(9);
      }
    }
  }

  @Test
  void all_reusedAfterAReplacedLimit_usesTheNewOne() {
    RateLimiter loose = RateLimiter.on(store, "x", LOOSE);
    JointRequest claims = RateLimiter.all(loose.at("k"));
    loose.replaceLimit(TIGHT);
    int granted = 0;
    for (int i = 0; i < 20; i++) {
      granted += (i % 2 == 0 ? claims.tryAcquire() : loose.tryAcquire("k")) ? 1 : 0;
    }
    assertThat(granted).isEqualTo(3);
  }
}
