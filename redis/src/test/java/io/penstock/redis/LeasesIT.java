package io.penstock.redis;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisURI;
import io.penstock.Claim;
import io.penstock.Consistency;
import io.penstock.Decision;
import io.penstock.FailurePolicy;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.StoreOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Leased limiters: what callers and other nodes observe. */
class LeasesIT {
  /** So slow that nothing is refilled during a test. */
  private static final Limit SLOW = Limit.perDay(1).burst(1_000);

  private static final StoreOptions LEASED =
      new StoreOptions(FailurePolicy.CLOSED, Consistency.LEASED);
  private static final StoreOptions AUTO = new StoreOptions(FailurePolicy.OPEN, Consistency.AUTO);

  private final RedisProcess redis = RedisProcess.start();
  private final Counts counts = new Counts();
  private final RedisStore store = open(counts);
  private final RedisStore other = open(RedisObserver.NONE);
  private final RateLimiter limiter = RateLimiter.on(store, "x", SLOW, LEASED);
  private final RateLimiter level = RateLimiter.on(other, "x", SLOW);

  private RedisStore open(RedisObserver observer) {
    return RedisStore.builder()
        .observer(observer)
        .deadline(Duration.ofSeconds(10))
        .startTimeout(Duration.ofSeconds(10))
        .connect(RedisURI.create(redis.url()));
  }

  @AfterEach
  void stop() {
    assertThat(redis.keysWithoutTtl()).isEmpty();
    store.close();
    other.close();
    redis.close();
  }

  /** Sends requests until this node holds a lease on the key; returns how many were allowed. */
  private int lease(RateLimiter of, String key) {
    AtomicInteger allowed = new AtomicInteger();
    await("leased")
        .until(
            () -> {
              allowed.addAndGet(of.take(key).allowed() ? 1 : 0);
              return of.at(key).buckets().isLeased(key);
            });
    return allowed.get();
  }

  @Test
  void take_singleRequest_isExact() {
    assertThat(limiter.take("k").remaining()).isEqualTo(999);
    assertThat(level.peek("k").remaining()).isEqualTo(999);
    assertThat(store.leases()).isEqualTo(LeaseStats.NOTHING);
  }

  @Test
  void take_leased_callsRedisRarelyAndReturnsTheRest() {
    int taken = lease(limiter, "k");
    long calls = counts.calls.get();
    // Some of the lease has to be left, or there is nothing to return.
    for (; taken < 500 || store.leases().unspentThousandths() == 0; taken++) {
      Decision decision = limiter.take("k");
      assertThat(decision.allowed()).isTrue();
      assertThat(decision.degraded()).isFalse();
      assertThat(decision.remaining()).isBetween(0.0, 1_000.0);
    }
    assertThat(counts.calls.get() - calls).isLessThan(100);
    int left = 1_000 - taken;
    await("given back when idle").until(() -> level.peek("k").remaining() == left);
    await("none held").until(() -> store.leases().equals(LeaseStats.NOTHING));
    assertThat(counts.leased.get()).isPositive();
    // On a machine that pauses for long, the lease expires before it is returned.
    await("reported").until(() -> counts.returned.get() + counts.expired.get() > 0);
  }

  @Test
  void take_all_grantsEachTokenOnce() {
    int allowed = 0;
    for (int i = 0; i < 3_000; i++) {
      allowed += limiter.tryAcquire("k") ? 1 : 0;
    }
    assertThat(allowed).isEqualTo(1_000);
    assertThat(level.peek("k").remaining()).isZero();
  }

  @Test
  void stats_whileLeased_reportLeasedTokens() {
    lease(limiter, "k");
    LeaseStats stats = store.leases();
    assertThat(stats.leases()).isEqualTo(1);
    assertThat(stats.unspentThousandths())
        .isPositive()
        .isLessThanOrEqualTo(stats.outstandingThousandths());
    assertThat(stats.underGrantThousandths()).isEqualTo(stats.outstandingThousandths());
    assertThat(stats.outstandingThousandths())
        .as("a share of the burst")
        .isLessThanOrEqualTo(125_000);
  }

  @Test
  void otherNode_whileLeased_seesLeasedTokensAsMissing() {
    int spent = lease(limiter, "k");
    double left = level.peek("k").remaining();
    assertThat(left).isLessThan(1_000 - spent);
    assertThat(level.tryAcquire("k", left)).isTrue();
    assertThat(level.tryAcquire("k")).isFalse();
    assertThat(limiter.tryAcquire("k")).as("from the lease").isTrue();
  }

  @Test
  void close_returnsLeases() {
    RedisStore closing = open(RedisObserver.NONE);
    int allowed = lease(RateLimiter.on(closing, "x", SLOW, LEASED), "k");
    assertThat(level.peek("k").remaining()).isLessThan(1_000 - allowed);
    closing.close();
    assertThat(level.peek("k").remaining()).isEqualTo(1_000 - allowed);
  }

  @Test
  void replaceLimit_returnsLeases() {
    int allowed = lease(limiter, "k");
    limiter.replaceLimit(Limit.perDay(2).burst(1_000));
    await("given back").until(() -> level.peek("k").remaining() == 1_000 - allowed);
    assertThat(limiter.peek("k").remaining()).isEqualTo(1_000 - allowed);
  }

  @Test
  void retire_returnsLeases() {
    int allowed = lease(limiter, "k");
    limiter.retire();
    await("given back").until(() -> level.peek("k").remaining() == 1_000 - allowed);
  }

  @Test
  void reset_whileLeased_keepsOnlyLeasedTokensMissing() {
    lease(limiter, "k");
    level.charge("k", 600);
    level.reset("k");
    double full = level.peek("k").remaining();
    assertThat(full).isGreaterThanOrEqualTo(1_000 - 125).isLessThan(1_000);
    await("full when it is back").until(() -> level.peek("k").remaining() > full);
  }

  @Test
  void refund_whileLeased_keepsLeasedTokensMissing() {
    lease(limiter, "k");
    limiter.refund("k", 1_000);
    assertThat(level.peek("k").remaining()).isLessThan(1_000);
  }

  @Test
  void charge_whileLeased_isTakenFromTheBucket() {
    int allowed = lease(limiter, "k");
    limiter.charge("k", 100);
    await("the rest is returned").until(() -> level.peek("k").remaining() == 900 - allowed);
  }

  @Test
  void peek_whileLeased_takesNothing() {
    int allowed = lease(limiter, "k");
    for (int i = 0; i < 10; i++) {
      assertThat(limiter.peek("k").allowed()).isTrue();
      Decision foreseen = RateLimiter.all(limiter.at("k")).peek();
      assertThat(foreseen.allowed()).isTrue();
    }
    await("given back").until(() -> level.peek("k").remaining() == 1_000 - allowed);
  }

  @Test
  void peek_ofTokensThatAreOnlyLeased_predictsIt() {
    lease(limiter, "k");
    level.tryAcquire("k", level.peek("k").remaining());
    Decision foreseen = RateLimiter.all(limiter.at("k")).peek();
    assertThat(foreseen.allowed()).isTrue();
    Decision tooMuch = RateLimiter.all(limiter.at("k", 500)).peek();
    assertThat(tooMuch.allowed()).isFalse();
  }

  @Test
  void take_moreThanTheLease_callsRedis() {
    int allowed = lease(limiter, "k");
    assertThat(limiter.take("k", 700).allowed()).isTrue();
    Decision never = limiter.take("k", 1_001);
    assertThat(never.neverAllowed()).isTrue();
    await("given back").until(() -> level.peek("k").remaining() == 300 - allowed);
  }

  @Test
  void take_denied_hasARetryHintAndIsCached() {
    RateLimiter fast = RateLimiter.on(store, "f", Limit.perSecond(10).burst(80), LEASED);
    await("denied").until(() -> !fast.tryAcquire("k"));
    Decision denied = fast.take("k", 20);
    assertThat(denied.allowed()).isFalse();
    assertThat(denied.retryAfter()).isPositive().isLessThanOrEqualTo(Duration.ofSeconds(2));
    long before = counts.cachedDenials.get();
    assertThat(fast.take("k", 20).allowed()).isFalse();
    assertThat(counts.cachedDenials.get()).isGreaterThan(before);
  }

  @Test
  void all_deniedByAnother_returnsTheLeasedTokens() {
    RateLimiter tight = RateLimiter.on(store, "t", Limit.perDay(1).burst(1));
    assertThat(tight.tryAcquire("u")).isTrue();
    int allowed = lease(limiter, "k");
    for (int i = 0; i < 50; i++) {
      Claim[] claims = {limiter.at("k"), tight.at("u")};
      Decision decision =
          i % 2 == 0
              ? RateLimiter.all(claims).take()
              : RateLimiter.all(claims).takeAsync().toCompletableFuture().join();
      assertThat(decision.allowed()).isFalse();
      assertThat(decision.limiter()).isEqualTo("t");
      assertThat(decision.results()).extracting(Decision::allowed).containsExactly(true, false);
    }
    await("nothing was spent").until(() -> level.peek("k").remaining() == 1_000 - allowed);
  }

  @Test
  void all_allowed_takesFromLeaseAndRedis() {
    RateLimiter user = RateLimiter.on(store, "u", Limit.perDay(1).burst(100));
    int allowed = lease(limiter, "k");
    for (int i = 0; i < 50; i++) {
      assertThat(RateLimiter.all(limiter.at("k"), user.at("u")).take().allowed()).isTrue();
    }
    assertThat(user.peek("u").remaining()).isEqualTo(50);
    await("spent both").until(() -> level.peek("k").remaining() == 950 - allowed);
  }

  @Test
  void windows_areNeverLeased() {
    RateLimiter window =
        RateLimiter.on(store, "w", Limit.fixedWindow(100, Duration.ofHours(1)), LEASED);
    int allowed = 0;
    for (int i = 0; i < 150; i++) {
      allowed += window.tryAcquire("k") ? 1 : 0;
    }
    assertThat(allowed).isBetween(100, 150);
    assertThat(store.leases()).isEqualTo(LeaseStats.NOTHING);
  }

  @Test
  void storeUnavailable_usesTheLeaseUntilItExpires() {
    RateLimiter mine = RateLimiter.on(store, "m", Limit.perSecond(1_000).burst(10_000), LEASED);
    lease(mine, "k");
    for (int i = 0; i < 300; i++) {
      mine.tryAcquire("k");
    }
    lease(mine, "k");
    redis.kill();
    await("detected as unavailable").until(() -> !store.isAvailable());
    boolean before = mine.at("k").buckets().isLeased("k");
    Decision here = mine.take("k");
    boolean after = mine.at("k").buckets().isLeased("k");
    if (before == after) {
      // Otherwise the lease expired in the meantime, or this was its last token.
      assertThat(here.degraded()).as("held before and after").isEqualTo(!before);
    }
    await("by the failure policy").until(() -> mine.take("k").degraded());
    assertThat(mine.take("k").allowed()).isFalse();
    redis.restart();
    await("available again").until(() -> !mine.take("k").degraded());
  }

  @Test
  void auto_hotThenCool_isLeasedThenExact() throws Exception {
    RateLimiter auto = RateLimiter.on(store, "a", Limit.perSecond(1_000_000).burst(1e9), AUTO);
    assertThat(auto.tryAcquire("k")).isTrue();
    assertThat(auto.at("k").buckets().isLeased("k")).isFalse();
    List<Thread> callers = new ArrayList<>();
    AtomicInteger running = new AtomicInteger(1);
    for (int i = 0; i < 64; i++) {
      Thread caller =
          new Thread(
              () -> {
                while (running.get() > 0) {
                  auto.tryAcquire("k");
                }
              });
      callers.add(caller);
      caller.start();
    }
    long start = System.nanoTime();
    await("leased").until(() -> auto.at("k").buckets().isLeased("k"));
    long millis = (System.nanoTime() - start) / 1_000_000;
    running.set(0);
    for (Thread caller : callers) {
      caller.join();
    }
    System.out.printf("hot: leased after %d ms%n", millis);
    await("no longer hot").until(() -> !auto.at("k").buckets().isLeased("k"));
    await("switched twice").until(() -> counts.switches.size() == 2);
    assertThat(counts.switches).containsExactly(true, false);
    long calls = counts.calls.get();
    for (int i = 0; i < 5; i++) {
      assertThat(auto.tryAcquire("k")).isTrue();
    }
    assertThat(counts.calls.get() - calls).as("each called Redis").isGreaterThanOrEqualTo(5);
    assertThat(counts.switches).hasSize(2);
  }
}
