package io.penstock.redis;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Claim;
import io.penstock.Consistency;
import io.penstock.Decision;
import io.penstock.FailurePolicy;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.Reason;
import io.penstock.StoreOptions;
import io.penstock.redis.RedisObserver.Degradation;
import io.penstock.testing.Waiting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests over several slots: all or nothing, whatever happens to other servers. */
class MultiSlotRequestIT {
  /** So slow that nothing is refilled during a test. */
  private static final Limit SLOW = Limit.perDay(1).burst(10);

  private static final StoreOptions CLOSED =
      new StoreOptions(FailurePolicy.CLOSED, Consistency.EXACT);

  private static final Duration WINDOW = Duration.ofHours(10);
  private static final AtomicInteger NAMES = new AtomicInteger();

  private static ClusterProcesses cluster;

  private final String name = "x" + NAMES.incrementAndGet();
  private final Counts counts = new Counts();
  private final Queue<Batch> calls = new ConcurrentLinkedQueue<>();
  private RedisStore store;

  @BeforeAll
  static void start() {
    // No failover here, and the remaining servers continue without the failed ones.
    cluster = new ClusterProcesses(3, 0, "--cluster-require-full-coverage", "no");
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @BeforeEach
  void open() {
    store = connect(Duration.ofSeconds(2));
    await("available").until(store::isAvailable);
  }

  private RedisStore connect(Duration deadline) {
    return RedisStore.builder()
        .deadline(deadline)
        .startTimeout(Duration.ofSeconds(10))
        .nodes(2)
        .observer(counts)
        .callObserver(calls::add)
        .connect(cluster.url());
  }

  @AfterEach
  void close() {
    store.close();
  }

  private RateLimiter limiter(Limit limit) {
    return RateLimiter.on(store, name, limit);
  }

  private RateLimiter limiter(FailurePolicy policy) {
    return RateLimiter.on(store, name, SLOW, new StoreOptions(policy, Consistency.EXACT));
  }

  /** Two keys on the first primary, one on the second and one on the third. */
  private static String key(int number) {
    return number < 2 ? cluster.keyAt(0, number) : cluster.keyAt(number - 1, 0);
  }

  private static Claim[] claims(RateLimiter limiter, int count, double lastCost) {
    Claim[] claims = new Claim[count];
    for (int i = 0; i < count; i++) {
      claims[i] = limiter.at(key(i), i < count - 1 ? 1 : lastCost);
    }
    return claims;
  }

  private static double level(RateLimiter limiter, int number) {
    return limiter.peek(key(number)).remaining();
  }

  @Test
  void take_oneToFourSlots_takesFromAllInOneCallForEachPrimary() {
    RateLimiter limiter = limiter(SLOW);
    for (int count = 1; count <= 4; count++) {
      calls.clear();
      Decision decision = RateLimiter.all(claims(limiter, count, 2)).take();
      assertThat(decision.allowed()).isTrue();
      assertThat(decision.degraded()).isFalse();
      assertThat(decision.results()).hasSize(count);
      assertThat(calls).as("one for each primary").hasSize(Math.max(1, count - 1));
    }
    assertThat(level(limiter, 0)).isEqualTo(10 - 2 - 1 - 1 - 1);
    assertThat(level(limiter, 3)).isEqualTo(10 - 2);
  }

  @Test
  void take_oneDenies_isGivenBackElsewhere() {
    RateLimiter limiter = limiter(SLOW);
    limiter.take(key(3), 5);
    Decision denied = RateLimiter.all(claims(limiter, 4, 6)).take();
    assertThat(denied.allowed()).isFalse();
    assertThat(denied.degraded()).isFalse();
    assertThat(denied.reason()).contains(Reason.TOKEN_BUCKET_EXCEEDED);
    assertThat(denied.results())
        .extracting(Decision::allowed)
        .containsExactly(true, true, true, false);
    assertThat(denied.results())
        .as("as if nothing had been taken")
        .extracting(Decision::remaining)
        .containsExactly(10.0, 10.0, 10.0, 5.0);
    await("given back").until(() -> counts.refunded.get() == 3);
    for (int i = 0; i < 3; i++) {
      assertThat(level(limiter, i)).isEqualTo(10);
    }
    assertThat(level(limiter, 3)).isEqualTo(5);
  }

  @Test
  void take_deniedAgain_isCachedAndChargesNothing() {
    RateLimiter limiter = limiter(SLOW);
    limiter.take(key(3), 10);
    Claim[] claims = claims(limiter, 4, 1);
    assertThat(RateLimiter.all(claims).take().allowed()).isFalse();
    await("given back").until(() -> counts.refunded.get() == 3);
    // Giving back tokens elsewhere did not clear the cached denial of the bucket that denied.
    calls.clear();
    Decision again = RateLimiter.all(claims).take();
    assertThat(again.allowed()).isFalse();
    assertThat(again.results())
        .extracting(Decision::remaining)
        .containsExactly(10.0, 10.0, 10.0, 0.0);
    assertThat(calls).isEmpty();
    assertThat(counts.cachedDenials.get()).isEqualTo(1);
  }

  @Test
  void take_costAboveABurst_isNeverAndTakesNothing() {
    RateLimiter limiter = limiter(SLOW);
    Decision never = RateLimiter.all(claims(limiter, 3, 11)).take();
    assertThat(never.neverAllowed()).isTrue();
    await("given back").until(() -> counts.refunded.get() == 2);
    assertThat(level(limiter, 0)).isEqualTo(10);
  }

  @Test
  void take_delayOfOneSlot_delaysTheRequest() {
    RateLimiter limiter = limiter(Limit.perHour(60).burst(1));
    Duration most = Duration.ofSeconds(90);
    limiter.take(key(2));
    Decision held =
        RateLimiter.all(limiter.at(key(0)).within(most), limiter.at(key(2)).within(most)).take();
    assertThat(held.allowed()).isTrue();
    assertThat(held.delay()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(60));
    Decision denied =
        RateLimiter.all(limiter.at(key(0)).within(most), limiter.at(key(2)).within(most)).take();
    assertThat(denied.allowed()).isFalse();
    assertThat(denied.retryAfter()).isLessThanOrEqualTo(Duration.ofSeconds(30));
    await("given back").until(() -> counts.refunded.get() == 1);
    Decision back = RateLimiter.all(limiter.at(key(0)).within(most)).take();
    assertThat(back.delay())
        .as("only the first was kept")
        .isLessThanOrEqualTo(Duration.ofSeconds(60));
  }

  @Test
  void peek_severalSlots_takesNothing() throws Exception {
    RateLimiter limiter = limiter(SLOW);
    Decision foreseen =
        RateLimiter.all(claims(limiter, 4, 2))
            .peekAsync()
            .toCompletableFuture()
            .get(1, TimeUnit.MINUTES);
    Decision again =
        RateLimiter.all(claims(limiter, 4, 11))
            .peekAsync()
            .toCompletableFuture()
            .get(1, TimeUnit.MINUTES);
    assertThat(foreseen.allowed()).isTrue();
    assertThat(again.neverAllowed()).isTrue();
    assertThat(level(limiter, 0)).isEqualTo(10);
    assertThat(counts.refunded.get()).isZero();
  }

  @Test
  void take_windowsElsewhere_areNotChargedWhenAnyDenies() {
    RateLimiter bucket = limiter(SLOW);
    for (Limit limit :
        List.of(
            Limit.fixedWindow(10, WINDOW),
            Limit.slidingWindow(10, WINDOW),
            Limit.slidingLog(10, WINDOW))) {
      RateLimiter window = RateLimiter.on(store, name + limit, limit);
      Claim[] claims = {bucket.at(key(0)), window.at(key(2)), window.at(key(3), 4)};
      Decision first = RateLimiter.all(claims).take();
      assertThat(first.allowed()).as("%s", limit).isTrue();
      assertThat(first.results().get(2).remaining()).isEqualTo(6);
      assertThat(RateLimiter.all(claims).take().allowed()).isTrue();
      long before = counts.refunded.get();
      Decision denied = RateLimiter.all(claims).take();
      assertThat(denied.allowed()).isFalse();
      assertThat(denied.results()).extracting(Decision::allowed).containsExactly(true, true, false);
      await("given back").until(() -> counts.refunded.get() == before + 1);
      assertThat(window.peek(key(2)).remaining()).isEqualTo(8);
      assertThat(window.peek(key(3)).remaining()).isEqualTo(2);
    }
    assertThat(level(bucket, 0)).isEqualTo(10 - 3 * 2);
  }

  @Test
  void take_oneServerUnavailable_isDecidedByItsPolicyAndTheOthersByRedis() {
    RateLimiter open = limiter(FailurePolicy.OPEN);
    RateLimiter closed = RateLimiter.on(store, name + "c", SLOW, CLOSED);
    RateLimiter local =
        RateLimiter.on(
            store,
            name + "l",
            Limit.perDay(1).burst(4),
            new StoreOptions(FailurePolicy.LOCAL_SHARE, Consistency.EXACT));
    cluster.primaries().get(2).freeze();
    try {
      await("detected as unavailable")
          .until(() -> limiter(FailurePolicy.OPEN).peek(key(3)).degraded() && !store.isAvailable());
      await("only that one").until(() -> !open.peek(key(0)).degraded());

      Decision passes = RateLimiter.all(claims(open, 4, 1)).take();
      assertThat(passes.allowed()).isTrue();
      assertThat(passes.degraded()).isTrue();
      assertThat(passes.results())
          .extracting(Decision::degraded)
          .containsExactly(false, false, false, true);
      assertThat(level(open, 0)).as("the others are charged").isEqualTo(9);

      Decision denied = RateLimiter.all(open.at(key(0)), closed.at(key(3))).take();
      assertThat(denied.allowed()).isFalse();
      assertThat(denied.reason()).map(Reason::isUnavailable).contains(true);
      await("given back").until(() -> level(open, 0) == 9);

      assertThat(RateLimiter.all(open.at(key(0)), local.at(key(3), 2)).take().allowed()).isTrue();
      assertThat(level(open, 0)).isEqualTo(8);
      Decision locally = RateLimiter.all(open.at(key(0)), local.at(key(3), 1)).take();
      assertThat(locally.allowed()).isFalse();
      assertThat(locally.reason()).contains(Reason.TOKEN_BUCKET_EXCEEDED);
      await("given back").until(() -> level(open, 0) == 8);

      Decision elsewhere = RateLimiter.all(open.at(key(0), 9), local.at(key(3), 0.001)).take();
      assertThat(elsewhere.allowed()).isFalse();
      assertThat(elsewhere.limiter()).isEqualTo(name);
      RateLimiter window = RateLimiter.on(store, name + "w", Limit.fixedWindow(10, WINDOW));
      assertThat(RateLimiter.all(window.at(key(0)), closed.at(key(3))).take().allowed()).isFalse();
      assertThat(window.peek(key(0)).remaining()).as("nothing to give back").isEqualTo(10);
    } finally {
      cluster.primaries().get(2).thaw();
    }
    await("available again").until(store::isAvailable);
    assertThat(level(open, 3)).isEqualTo(10);
  }

  @Test
  void take_oneServerStops_returnsInTimeAndGivesBackLateCharges() {
    store.close();
    store = connect(Duration.ofMillis(200));
    int round = 0;
    while (!givesBackLateCharges(RateLimiter.on(store, name + round, SLOW, CLOSED))) {
      assertThat(++round).as("rounds in which a reply was lost").isLessThan(20);
    }
  }

  /**
   * Stops a server until a request has timed out.
   *
   * @return false if a reply was lost, because a starved machine took the server for dead and
   *     closed the connection; then one charge may remain
   */
  private boolean givesBackLateCharges(RateLimiter limiter) {
    await("available").until(store::isAvailable);
    long before = counts.refunded.get();
    cluster.primaries().get(1).freeze();
    try {
      Decision denied = RateLimiter.all(claims(limiter, 4, 1)).take();
      assertThat(denied.allowed()).isFalse();
      assertThat(denied.degraded()).isTrue();
    } finally {
      cluster.primaries().get(1).thaw();
    }
    boolean allGivenBack = Waiting.holdsWithin(10, () -> counts.refunded.get() == before + 4);
    await("available again").until(store::isAvailable);
    for (int i = 0; i < 4; i++) {
      int number = i;
      await("at most one charge " + i)
          .until(() -> level(limiter, number) >= (allGivenBack ? 10 : 9));
    }
    return allGivenBack;
  }

  @Test
  void take_manyCallersOverTheSameSlots_neverPassMoreThanTheSmallest() throws Exception {
    RateLimiter wide = RateLimiter.on(store, name + "wide", Limit.perDay(10).burst(10_000));
    RateLimiter narrow = RateLimiter.on(store, name + "narrow", Limit.perDay(1).burst(300));
    AtomicLong passed = new AtomicLong();
    List<Thread> callers = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      Thread caller =
          new Thread(
              () -> {
                for (int j = 0; j < 50; j++) {
                  Decision decision =
                      RateLimiter.all(wide.at(key(0)), narrow.at(key(2)), wide.at(key(3))).take();
                  if (decision.allowed() && !decision.degraded()) {
                    passed.incrementAndGet();
                  }
                }
              });
      callers.add(caller);
      caller.start();
    }
    for (Thread caller : callers) {
      caller.join(60_000);
    }
    assertThat(passed.get()).isLessThanOrEqualTo(300);
    if (counts.timedOut() + counts.degraded(Degradation.FAILED) == 0) {
      assertThat(passed.get()).isEqualTo(300);
      await("everything is returned").until(() -> wide.peek(key(0)).remaining() == 10_000 - 300);
      await("available as well").until(() -> wide.peek(key(3)).remaining() == 10_000 - 300);
    }
  }
}
