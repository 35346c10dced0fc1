package io.penstock.redis;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.lettuce.core.RedisURI;
import io.penstock.Consistency;
import io.penstock.Decision;
import io.penstock.FailurePolicy;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.Reason;
import io.penstock.StoreOptions;
import io.penstock.redis.RedisObserver.Degradation;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Limiters that decide in process while Redis is unavailable, from what this node knows. */
class LocalFallbackIT {
  /** So slow that nothing is refilled during a test. */
  private static final Limit SLOW = Limit.perDay(1).burst(10);

  /** Does not end during a test. */
  private static final Limit FIXED_WINDOW = Limit.fixedWindow(5, Duration.ofDays(300));

  /** What is reported to Redis is rounded down to thousandths of a token. */
  private static final double ROUNDING = 0.002;

  private static final StoreOptions SHARE =
      new StoreOptions(FailurePolicy.LOCAL_SHARE, Consistency.EXACT);

  private static final int LEASED_BURST = 1_000;

  /** The max share of a burst that a node leases, which it loses if the lease expires. */
  private static final int MAX_LEASED = LEASED_BURST / 8;

  private static final StoreOptions LEASED =
      new StoreOptions(FailurePolicy.LOCAL, Consistency.LEASED);

  private final Counts counts = new Counts();
  private final RedisProcess redis = RedisProcess.start();
  private final FlakyProxy proxy = new FlakyProxy(redis.port());
  private final RedisStore direct =
      RedisStore.builder()
          .deadline(Duration.ofSeconds(10))
          .denialMemory(false)
          .connect(RedisURI.create(redis.url()));
  private final RateLimiter level = RateLimiter.on(direct, "x", SLOW);
  private final RedisStore store =
      RedisStore.builder()
          .deadline(Duration.ofMillis(200))
          .denialMemory(false)
          .observer(counts)
          .connect(RedisURI.create(proxy.url()));
  private final RateLimiter limiter = RateLimiter.on(store, "x", SLOW);

  LocalFallbackIT() {
    await("available").until(() -> !limiter.peek("warm").degraded());
  }

  @AfterEach
  void stop() {
    assertThat(redis.keysWithoutTtl()).isEmpty();
    store.close();
    direct.close();
    proxy.close();
    redis.close();
  }

  private void disconnect() {
    proxy.refuse(true);
    proxy.reset();
    await("unavailable").until(() -> limiter.peek("other").degraded());
  }

  private void reconnect() {
    proxy.refuse(false);
    await("available again").until(() -> !limiter.peek("other").degraded());
  }

  /** Takes while Redis is available; on a busy machine, a first attempt may time out. */
  private static Decision takeExactly(RateLimiter limiter, String key, double cost) {
    Decision decision = limiter.take(key, cost);
    assertThat(decision.degraded()).as("%s", decision).isFalse();
    return decision;
  }

  private static void assertTakesLocally(RateLimiter limiter, String key, int tokens) {
    for (int i = 0; i < tokens; i++) {
      Decision decision = limiter.take(key);
      assertThat(decision.allowed()).as("%s of %s: %s", i, tokens, decision).isTrue();
      assertThat(decision.degraded()).isTrue();
    }
    Decision denied = limiter.take(key);
    assertThat(denied.allowed()).isFalse();
    assertThat(denied.reason()).contains(Reason.TOKEN_BUCKET_EXCEEDED);
    assertThat(denied.degradation()).map(Reason::isUnavailable).contains(true);
  }

  @Test
  void outage_unknownKey_hasTheFullLimit() {
    disconnect();
    assertTakesLocally(limiter, "k", 10);
  }

  @Test
  void outage_afterGrants_continuesFromTheirLevel() {
    takeExactly(limiter, "k", 7);
    disconnect();
    assertTakesLocally(limiter, "k", 3);
  }

  @Test
  void outage_afterGrantsOfOtherNodes_continuesFromTheLastReportedLevel() {
    level.take("k", 6);
    takeExactly(limiter, "k", 1);
    disconnect();
    assertTakesLocally(limiter, "k", 3);
  }

  @Test
  void outage_afterAReset_hasTheFullLimit() {
    takeExactly(limiter, "k", 9);
    limiter.reset("k");
    disconnect();
    assertTakesLocally(limiter, "k", 10);
  }

  @Test
  void outage_afterARefundElsewhere_followsTheNextReply() {
    takeExactly(limiter, "k", 9);
    level.refund("k", 5);
    assertThat(limiter.peek("k").remaining()).isEqualTo(6);
    disconnect();
    assertTakesLocally(limiter, "k", 6);
  }

  /** Windows that don't end during a test. */
  static List<Arguments> windows() {
    Duration length = Duration.ofDays(300);
    return List.of(
        arguments(Limit.fixedWindow(5, length), Reason.FIXED_WINDOW_EXCEEDED),
        arguments(Limit.slidingWindow(5, length), Reason.SLIDING_WINDOW_COUNTER_EXCEEDED),
        arguments(Limit.slidingLog(5, length), Reason.SLIDING_WINDOW_LOG_EXCEEDED));
  }

  @ParameterizedTest
  @MethodSource("windows")
  void outage_window_countsTheGrantsOfThisNode(Limit limit, Reason reason) {
    RateLimiter window = RateLimiter.on(store, "w", limit);
    takeExactly(window, "k", 3);
    disconnect();
    assertThat(window.tryAcquire("k", 2)).isTrue();
    Decision denied = window.take("k");
    assertThat(denied.allowed()).isFalse();
    assertThat(denied.reason()).contains(reason);
    assertThat(denied.degraded()).isTrue();
  }

  @ParameterizedTest
  @MethodSource("windows")
  void recovery_window_reportsWhatThisNodeGranted(Limit limit, Reason reason) {
    RateLimiter window = RateLimiter.on(store, "w", limit);
    RateLimiter other = RateLimiter.on(direct, "w", limit);
    takeExactly(window, "k", 1);
    disconnect();
    assertThat(window.tryAcquire("k", 3)).isTrue();
    other.take("k", 1);
    reconnect();
    assertThat(takeExactly(window, "k", 0).allowed()).isTrue();
    assertThat(other.peek("k").remaining()).as("the larger count").isEqualTo(1);
    assertThat(takeExactly(window, "k", 1).allowed()).isTrue();
    Decision denied = takeExactly(window, "k", 1);
    assertThat(denied.allowed()).isFalse();
    assertThat(denied.reason()).contains(reason);
  }

  @Test
  void outage_severalLimits_takeAllOrNothing() {
    RateLimiter other = RateLimiter.on(store, "y", Limit.perDay(1).burst(3));
    disconnect();
    assertThat(RateLimiter.all(limiter.at("k", 2), other.at("k", 2)).take().allowed()).isTrue();
    assertThat(RateLimiter.all(limiter.at("k", 2), other.at("k", 2)).take().allowed()).isFalse();
    assertThat(limiter.peek("k").remaining()).isEqualTo(8);
    assertThat(other.peek("k").remaining()).isEqualTo(1);
  }

  @Test
  void outage_replacedLimit_keepsWhatWasConsumed() {
    RateLimiter replaced = RateLimiter.on(store, "r", SLOW);
    takeExactly(replaced, "k", 8);
    replaced.replaceLimit(Limit.perDay(1).burst(20));
    disconnect();
    assertTakesLocally(replaced, "k", 12);
  }

  @Test
  void outage_leasedLimiter_grantsAtMostTheLimitAndReportsIt() {
    Limit limit = Limit.perDay(1).burst(LEASED_BURST);
    RateLimiter leased = RateLimiter.on(store, "leased", limit, LEASED);
    AtomicInteger granted = new AtomicInteger();
    await("leased")
        .until(
            () -> {
              granted.addAndGet(leased.tryAcquire("k") ? 1 : 0);
              return leased.at("k").buckets().isLeased("k");
            });
    disconnect();
    Decision decision = leased.take("k");
    while (decision.allowed()) {
      granted.incrementAndGet();
      assertThat(granted).hasValueLessThanOrEqualTo(LEASED_BURST);
      decision = leased.take("k");
    }
    assertThat(decision.degraded()).isTrue();
    assertThat(decision.reason()).contains(Reason.TOKEN_BUCKET_EXCEEDED);
    assertThat(granted).hasValueGreaterThanOrEqualTo(LEASED_BURST - MAX_LEASED);

    reconnect();
    assertThat(takeExactly(leased, "k", 1).allowed()).isFalse();
    assertThat(RateLimiter.on(direct, "leased", limit).peek("k").remaining())
        .as("reported, although the lease has expired")
        .isLessThanOrEqualTo(ROUNDING);
  }

  @Test
  void deadlineNoticedLate_isLabelledAsStarved() {
    proxy.keepReplies(true);
    RedisClaim claim = ((RedisBuckets) limiter.at("k").buckets()).claim("k", 1_000, 0);
    long passed = System.nanoTime() - Duration.ofMillis(20).toNanos();
    PendingRequest request = new PendingRequest(Operation.TAKE, List.of(claim), passed);
    Decision decision = store.dispatcher().executeAsync(request).toCompletableFuture().join();
    proxy.keepReplies(false);

    assertThat(decision.allowed()).isTrue();
    assertThat(decision.degradation()).contains(Reason.CPU_STARVED);
    assertThat(counts.degraded(Degradation.STARVED)).isEqualTo(1);
  }

  @Test
  void recovery_nextRequest_reportsWhatThisNodeGranted() {
    takeExactly(limiter, "k", 2);
    disconnect();
    assertThat(limiter.take("k", 5).degraded()).isTrue();
    level.take("k", 1);
    reconnect();
    takeExactly(limiter, "k", 1);
    assertThat(level.peek("k").remaining())
        .as("the larger debt, and the request")
        .isBetween(2.0, 2.0 + ROUNDING);
    assertThat(takeExactly(limiter, "k", 1).remaining())
        .as("only once")
        .isBetween(1.0, 1.0 + ROUNDING);
  }

  @Test
  void recovery_ofAServerThatLostItsData_raisesItToWhatThisNodeKnows() {
    takeExactly(limiter, "k", 5);
    redis.kill();
    await("unavailable").until(() -> limiter.take("k").degraded());
    assertThat(limiter.take("k", 5).allowed()).as("one of five is taken").isFalse();
    redis.restart();
    await("available again").until(() -> !limiter.peek("other").degraded());
    assertThat(takeExactly(limiter, "k", 1).remaining()).isBetween(3.0, 3.0 + ROUNDING);
  }

  @Test
  void recovery_debtRefilledInTheMeantime_isNotRaised() {
    RateLimiter fast = RateLimiter.on(store, "f", Limit.perSecond(1_000).burst(1_000));
    takeExactly(fast, "k", 1);
    disconnect();
    assertThat(fast.take("k", 900).degraded()).isTrue();
    await("refilled").until(() -> fast.peek("k").remaining() == 1_000);
    reconnect();
    assertThat(takeExactly(fast, "k", 1).remaining()).isEqualTo(999);
  }

  @Test
  void answerLate_allowedLocally_staysCharged() {
    proxy.keepReplies(true);
    CompletableFuture<Decision> late = limiter.takeAsync("k", 2).toCompletableFuture();
    assertThat(late.join().degraded()).isTrue();
    assertThat(late.join().allowed()).isTrue();
    await("charged").until(() -> level.peek("k").remaining() == 8);
    proxy.keepReplies(false);
    await("available again").until(() -> !limiter.peek("other").degraded());
    assertThat(takeExactly(limiter, "k", 1).remaining()).as("charged once").isEqualTo(7);
    assertThat(counts.refunded.get()).isZero();
  }

  /** Returns a request that is still in flight when others have reached their deadlines. */
  private CompletableFuture<Decision> takeWithLongDeadline(RateLimiter of, int cost) {
    RedisClaim claim = ((RedisBuckets) of.at("k").buckets()).claim("k", 1_000L * cost, 0);
    long deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos();
    PendingRequest request = new PendingRequest(Operation.TAKE, List.of(claim), deadline);
    return store.dispatcher().executeAsync(request).toCompletableFuture();
  }

  @Test
  void inFlight_fixedWindow_isCountedByTheCopy() {
    RateLimiter window = RateLimiter.on(store, "w", FIXED_WINDOW);
    proxy.keepReplies(true);
    CompletableFuture<Decision> inFlight = takeWithLongDeadline(window, 3);
    CompletableFuture<Decision> second = window.takeAsync("k", 2).toCompletableFuture();
    CompletableFuture<Decision> third = window.takeAsync("k", 1).toCompletableFuture();
    assertThat(second.join().allowed()).isTrue();
    assertThat(third.join().allowed()).isFalse();
    proxy.keepReplies(false);
    assertThat(inFlight.join().allowed()).isTrue();
  }

  @Test
  void inFlight_fixedWindowDeniedByRedis_isNotCounted() {
    RateLimiter window = RateLimiter.on(store, "w", FIXED_WINDOW);
    RateLimiter.on(direct, "w", FIXED_WINDOW).take("k", 4);
    proxy.keepReplies(true);
    CompletableFuture<Decision> inFlight = takeWithLongDeadline(window, 3);
    assertThat(window.tryAcquire("k", 1)).isTrue();
    proxy.keepReplies(false);
    // On a starved machine, its connection may have been closed meanwhile.
    assumeFalse(inFlight.join().degraded());
    assertThat(inFlight.join().allowed()).isFalse();
    disconnect();
    assertThat(window.tryAcquire("k", 4)).isTrue();
    assertThat(window.tryAcquire("k", 1)).isFalse();
  }

  @Test
  void answerLate_deniedLocally_isGivenBack() {
    takeExactly(limiter, "k", 9);
    level.reset("k");
    proxy.keepReplies(true);
    CompletableFuture<Decision> late = limiter.takeAsync("k", 2).toCompletableFuture();
    assertThat(late.join().allowed()).isFalse();
    proxy.keepReplies(false);
    await("given back").until(() -> counts.refunded.get() == 1);
    assertThat(level.peek("k").remaining()).isEqualTo(10);
  }

  /** Returns a limiter of which this node has half. */
  private RateLimiter halfOf(Limit limit) {
    RateLimiter share = RateLimiter.on(store, "s", limit, SHARE);
    try (RedisStore second = RedisStore.builder().connect(RedisURI.create(redis.url()))) {
      RateLimiter.on(second, "s", limit, SHARE);
      await("both counted").until(() -> store.dispatcher().nodes() == 2);
    }
    return share;
  }

  @Test
  void share_numberOfNodesIsLearnedFromRedis() {
    RateLimiter share = halfOf(Limit.perDay(1).burst(4));
    disconnect();
    assertTakesLocally(share, "k", 2);
  }

  /** Otherwise each later request would look for reports, as long as the process runs. */
  @Test
  void recovery_keysThatAreNotUsedAgain_areForgottenOnceTheyAreFull() {
    RateLimiter fast = RateLimiter.on(store, "fast", Limit.perSecond(100).burst(10));
    RateLimiter window =
        RateLimiter.on(store, "window", Limit.fixedWindow(5, Duration.ofMillis(100)));
    disconnect();
    for (int i = 0; i < 1_000; i++) {
      assertThat(fast.tryAcquire("k" + i)).isTrue();
      assertThat(window.tryAcquire("k" + i)).isTrue();
    }
    assertThat(store.dispatcher().hasUnreported()).isTrue();
    reconnect();
    await("forgotten").until(() -> !store.dispatcher().hasUnreported());
  }

  /** This node is the first one that registers again. */
  @Test
  void share_redisLosesItsData_numberOfNodesIsKept() {
    RateLimiter share = halfOf(Limit.perDay(1).burst(4));
    disconnect();
    redis.with(commands -> commands.del("penstock:nodes"));
    reconnect();
    await("registered").until(() -> redis.with(commands -> commands.zcard("penstock:nodes")) == 1);
    assertThat(store.dispatcher().nodes()).isEqualTo(2);
    disconnect();
    assertTakesLocally(share, "k", 2);
  }

  @Test
  void share_afterGrants_startsFromItsShareOfTheReportedLevel() {
    RateLimiter share = halfOf(SLOW);
    RateLimiter.on(direct, "s", SLOW).take("k", 5);
    takeExactly(share, "k", 1);
    disconnect();
    assertTakesLocally(share, "k", 2);
  }

  @Tag("full")
  @ParameterizedTest
  @MethodSource("windows")
  void share_window_isRoundedDownToWholeTokens(Limit limit, Reason reason) {
    RateLimiter share = halfOf(limit);
    disconnect();
    assertThat(share.tryAcquire("k", 2)).isTrue();
    assertThat(share.take("k").reason()).as("half of five").contains(reason);
  }

  @ParameterizedTest
  @MethodSource("windows")
  void answerLate_window_isCountedOnce(Limit limit, Reason reason) {
    RateLimiter window = RateLimiter.on(store, "w", limit);
    RateLimiter other = RateLimiter.on(direct, "w", limit);
    proxy.keepReplies(true);
    Decision late = window.takeAsync("k", 2).toCompletableFuture().join();
    assertThat(late.allowed()).isTrue();
    assertThat(late.degraded()).isTrue();
    await("counted").until(() -> other.peek("k").remaining() == 3);
    proxy.keepReplies(false);
    await("available again").until(() -> !limiter.peek("other").degraded());
    assertThat(takeExactly(window, "k", 1).remaining()).isEqualTo(2);
    disconnect();
    assertThat(window.tryAcquire("k", 2)).isTrue();
    assertThat(window.take("k").reason()).contains(reason);
  }
}
