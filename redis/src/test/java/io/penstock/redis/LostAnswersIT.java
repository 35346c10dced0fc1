package io.penstock.redis;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisURI;
import io.penstock.Consistency;
import io.penstock.Decision;
import io.penstock.FailurePolicy;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.StoreException;
import io.penstock.StoreOptions;
import io.penstock.redis.RedisObserver.Degradation;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests whose responses are lost or late: charged at most once, and given back if possible. */
class LostAnswersIT {
  /** So slow that nothing is refilled during a test. */
  private static final Limit SLOW = Limit.perDay(1).burst(10);

  private static final StoreOptions OPEN = new StoreOptions(FailurePolicy.OPEN, Consistency.EXACT);

  private static final StoreOptions CLOSED =
      new StoreOptions(FailurePolicy.CLOSED, Consistency.EXACT);

  private static final Duration PATIENT = Duration.ofSeconds(10);

  private final Counts counts = new Counts();
  private final RedisProcess redis = RedisProcess.start();
  private final FlakyProxy proxy = new FlakyProxy(redis.port());
  private final RedisStore direct =
      RedisStore.builder().deadline(PATIENT).connect(RedisURI.create(redis.url()));
  private final RateLimiter level = RateLimiter.on(direct, "x", SLOW);
  private RedisStore store;

  @BeforeEach
  void open() {
    // Warm up, so that the server has the script and this process its classes.
    RateLimiter.on(direct, "first", SLOW).take("k");
    store = open(Duration.ofMillis(200));
    await("available").until(() -> !RateLimiter.on(store, "first", SLOW).take("k").degraded());
  }

  private RedisStore open(Duration deadline) {
    return RedisStore.builder()
        .deadline(deadline)
        .nodes(2)
        .observer(counts)
        .connect(RedisURI.create(proxy.url()));
  }

  @AfterEach
  void stop() {
    assertThat(redis.keysWithoutTtl()).isEmpty();
    store.close();
    direct.close();
    proxy.close();
    redis.close();
  }

  @Test
  void answerLost_isAmbiguousAndChargedOnce() {
    RateLimiter limiter = RateLimiter.on(store, "x", SLOW, OPEN);
    RateLimiter closed = RateLimiter.on(store, "x", SLOW, CLOSED);
    proxy.loseReplies(true);
    Decision open = limiter.take("k");
    assertThat(open.degraded()).isTrue();
    assertThat(open.allowed()).isTrue();
    assertThat(counts.timedOut()).isEqualTo(1);
    // Only a broken connection loses a reply: later ones would be taken for it.
    proxy.reset();
    proxy.loseReplies(false);
    await("available again").until(() -> !closed.peek("k").degraded());
    assertThat(level.peek("k").remaining()).as("once, and never given back").isEqualTo(9);
    assertThat(counts.refunded.get()).isZero();
  }

  @Test
  void answerLate_isGivenBack() {
    RateLimiter limiter = RateLimiter.on(store, "x", SLOW, OPEN);
    level.take("k", 3);
    long before = counts.timedOut();
    proxy.keepReplies(true);
    CompletableFuture<Decision> async = limiter.takeAsync("k", 2).toCompletableFuture();
    await("charged").until(() -> level.peek("k").remaining() == 5);
    assertThat(async.join().degraded()).isTrue();
    assertThat(counts.timedOut()).isEqualTo(before + 1);
    proxy.keepReplies(false);
    await("given back").until(() -> level.peek("k").remaining() == 7);
    await("counted").until(() -> counts.refunded.get() == 1);
  }

  @Test
  void answerLate_whenTheBucketWasFullAgainMeanwhile_addsNothing() {
    // Full again after a tenth of a second: without the charge, the bucket would have gained
    // nothing.
    Limit fast = Limit.perSecond(100).burst(10);
    RateLimiter limiter = RateLimiter.on(store, "f", fast, OPEN);
    RateLimiter other = RateLimiter.on(direct, "f", fast);
    proxy.keepReplies(true);
    assertThat(limiter.take("k", 8).degraded()).isTrue();
    await("full again").until(() -> other.peek("k").remaining() == 10);
    // From here on so slow that nothing is refilled during the test.
    RateLimiter slow = RateLimiter.on(direct, "f", SLOW);
    slow.take("k", 10);
    proxy.keepReplies(false);
    await("given back").until(() -> counts.refunded.get() == 1);
    assertThat(slow.peek("k").remaining()).isLessThan(0.001);
  }

  @Test
  void answerLate_afterRedisBecameUnavailable_isGivenBackToo() {
    RateLimiter limiter = RateLimiter.on(store, "x", SLOW, OPEN);
    RateLimiter other = RateLimiter.on(store, "y", SLOW, OPEN);
    proxy.keepReplies(true);
    Decision first = RateLimiter.all(limiter.at("k", 2), other.at("k", 3)).take();
    assertThat(first.degraded()).isTrue();
    await("charged").until(() -> level.peek("k").remaining() == 8);
    await("detected as unavailable")
        .until(() -> other.take("z").degraded() && !store.isAvailable());
    proxy.keepReplies(false);
    await("given back").until(() -> level.peek("k").remaining() == 10);
    await("the other too").until(() -> counts.refunded.get() >= 2);
    await("available again").until(store::isAvailable);
    assertThat(other.peek("k").remaining()).isEqualTo(10);
  }

  @Test
  void rejected_isNotAmbiguous() {
    try (RedisStore patient = open(PATIENT)) {
      RateLimiter limiter = RateLimiter.on(patient, "x", SLOW, CLOSED);
      // On a busy machine, requests of the other store may have missed their deadline.
      long failed = counts.degraded(Degradation.FAILED);
      long ambiguous = counts.degraded(Degradation.AMBIGUOUS);
      redis.command("CONFIG", "SET", "maxmemory", "1");
      assertThat(limiter.take("k").degraded()).isTrue();
      assertThat(counts.degraded(Degradation.FAILED)).isEqualTo(failed + 1);
      assertThat(counts.degraded(Degradation.AMBIGUOUS)).isEqualTo(ambiguous);
      redis.command("CONFIG", "SET", "maxmemory", "0");
      await("available again").until(() -> !limiter.take("k").degraded());
      assertThat(level.peek("k").remaining()).isEqualTo(9);
    }
  }

  @Test
  void denialLate_isNotGivenBack() {
    RateLimiter limiter = RateLimiter.on(store, "x", SLOW, OPEN);
    level.take("k", 10);
    proxy.keepReplies(true);
    assertThat(limiter.take("k", 2).degraded()).isTrue();
    proxy.keepReplies(false);
    await("available").until(() -> !limiter.take("k", 3).degraded());
    assertThat(level.peek("k").remaining()).isZero();
    assertThat(counts.refunded.get()).isZero();
  }

  /** Of a limit of four, this node has half. */
  private RateLimiter local() {
    StoreOptions storeOptions = new StoreOptions(FailurePolicy.LOCAL_SHARE, Consistency.EXACT);
    return RateLimiter.on(store, "l", Limit.perDay(1).burst(4), storeOptions);
  }

  @Test
  void changes_whileUnavailable_failWithoutEffect() {
    RateLimiter local = local();
    redis.kill();
    await("unavailable").until(() -> RateLimiter.on(store, "x", SLOW).take("k").degraded());
    assertThatThrownBy(() -> local.charge("k", 1)).isInstanceOf(StoreException.class);
    assertThatThrownBy(() -> local.refund("k", 1)).isInstanceOf(StoreException.class);
    assertThatThrownBy(() -> local.reset("k")).isInstanceOf(StoreException.class);
    for (int i = 0; i < 5; i++) {
      Decision foreseen = RateLimiter.all(local.at("k")).peek();
      assertThat(foreseen.allowed()).as("a peek takes nothing").isTrue();
      assertThat(foreseen.degraded()).isTrue();
    }
    assertThat(counts.degraded("l")).as("only requests count").isEqualTo(5);
    assertThat(local.tryAcquire("k")).isTrue();
    assertThat(local.tryAcquire("k")).as("half of four").isTrue();
    assertThat(local.tryAcquire("k")).isFalse();
    local.replaceLimit(Limit.perDay(1).burst(10));
    assertThat(local.tryAcquire("k", 3)).as("half of ten, two gone").isTrue();
    assertThat(local.tryAcquire("k")).isFalse();
    redis.restart();
  }

  @Test
  void waitCancelled_beforeALateAnswer_isGivenBackOnce() {
    RateLimiter limiter = RateLimiter.on(store, "x", SLOW, OPEN);
    level.take("k", 3);
    proxy.keepReplies(true);
    CompletableFuture<Decision> wait = limiter.acquireAsync("k", 2, Duration.ofSeconds(1));
    await("charged").until(() -> level.peek("k").remaining() == 5);
    wait.cancel(false);
    await("decided without it").until(() -> counts.timedOut() == 1);
    proxy.keepReplies(false);
    await("given back").until(() -> counts.refunded.get() == 1);
    await("available again").until(() -> !limiter.peek("k").degraded());
    assertThat(level.peek("k").remaining()).isEqualTo(7);
  }

  @Test
  void waitInterrupted_whileUnavailable_isInterrupted() throws Exception {
    RateLimiter local = local();
    redis.kill();
    await("unavailable").until(() -> local.take("k", 2).degraded());
    FutureTask<Decision> wait = new FutureTask<>(() -> local.acquire("k", 2, Duration.ofDays(9)));
    Thread thread = new Thread(wait);
    thread.start();
    await("waiting").until(() -> thread.getState() == Thread.State.TIMED_WAITING);
    thread.interrupt();
    assertThatThrownBy(wait::get).hasCauseInstanceOf(InterruptedException.class);
    redis.restart();
  }

  @Test
  void take_interrupted_isDecidedNevertheless() {
    try (RedisStore patient = open(PATIENT)) {
      RateLimiter limiter = RateLimiter.on(patient, "x", SLOW, CLOSED);
      Thread.currentThread().interrupt();
      Decision decision = limiter.take("k");
      assertThat(Thread.interrupted()).isTrue();
      assertThat(decision.degraded()).isFalse();
      assertThat(decision.allowed()).isTrue();
    }
  }
}
