package io.penstock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.penstock.inprocess.InProcessStore;
import io.penstock.testing.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

class AcquireTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final ManualClock clock = new ManualClock();
  private final Store store = InProcessStore.builder().clock(clock).build();
  private final RateLimiter limiter = RateLimiter.on(store, "user", Limit.perSecond(10).burst(10));

  /** A caller on its own thread that is waiting on the clock once this constructor returns. */
  private final class Caller {
    final FutureTask<Decision> task;
    final Thread thread;

    Caller(double cost) {
      int before = clock.waiting();
      task = new FutureTask<>(() -> limiter.acquire("k", cost, MINUTE));
      thread = new Thread(task);
      thread.setDaemon(true);
      thread.start();
      spinUntil(() -> clock.waiting() > before);
    }

    Decision served() throws Exception {
      return task.get(1, TimeUnit.MINUTES);
    }
  }

  private static void spinUntil(BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMinutes(1));
      Thread.onSpinWait();
    }
  }

  @Test
  void acquire_tokensAvailable_returnsImmediately() throws Exception {
    Decision decision = limiter.acquire("k", 10, MINUTE);

    assertThat(decision.allowed()).isTrue();
    assertThat(decision.delay()).isZero();
    assertThat(clock.waiting()).isZero();
  }

  @Test
  void acquire_tokensMissing_waitsExactlyAsLongAsNecessary() throws Exception {
    limiter.take("k", 10);
    Caller caller = new Caller(3);

    clock.advanceNanos(299_999_999);
    assertThat(clock.waiting()).isEqualTo(1);
    assertThat(caller.task.isDone()).isFalse();

    clock.advanceNanos(1);
    Decision decision = caller.served();
    assertThat(decision.allowed()).isTrue();
    assertThat(decision.delay()).isEqualTo(Duration.ofMillis(300));
    assertThat(limiter.peek("k").remaining()).isZero();
  }

  @Test
  void acquire_severalCallers_areServedInOrderOfArrival() throws Exception {
    limiter.take("k", 10);
    Caller large = new Caller(5);
    Caller small = new Caller(1);
    Caller last = new Caller(2);

    clock.advance(Duration.ofMillis(500));
    assertThat(large.served().delay()).isEqualTo(Duration.ofMillis(500));
    assertThat(clock.waiting()).isEqualTo(2);

    clock.advance(Duration.ofMillis(100));
    assertThat(small.served().delay()).isEqualTo(Duration.ofMillis(600));
    assertThat(clock.waiting()).isEqualTo(1);

    clock.advance(Duration.ofMillis(200));
    assertThat(last.served().delay()).isEqualTo(Duration.ofMillis(800));
  }

  @Test
  void acquire_othersWaiting_cannotBeOvertaken() throws Exception {
    limiter.take("k", 10);
    Caller caller = new Caller(5);

    clock.advance(Duration.ofMillis(200));
    assertThat(limiter.tryAcquire("k")).isFalse();
    assertThat(limiter.take("k").retryAfter()).isEqualTo(Duration.ofMillis(400));

    clock.advance(Duration.ofMillis(300));
    assertThat(caller.served().allowed()).isTrue();
  }

  @Test
  void acquire_notInTime_isDeniedImmediately() throws Exception {
    limiter.take("k", 10);

    Decision decision = limiter.acquire("k", 3, Duration.ofMillis(200));

    assertThat(decision.allowed()).isFalse();
    assertThat(decision.retryAfter()).isEqualTo(Duration.ofMillis(100));
    assertThat(decision.delay()).isZero();
    assertThat(clock.waiting()).isZero();

    clock.advance(Duration.ofMillis(100));
    assertThat(limiter.acquireAsync("k", 3, Duration.ofMillis(200))).isNotDone();
  }

  @Test
  void acquire_justInTime_waits() {
    limiter.take("k", 10);

    assertThat(limiter.acquireAsync("k", 3, Duration.ofNanos(299_999_999))).isCompleted();
    assertThat(limiter.acquireAsync("k", 3, Duration.ofMillis(300))).isNotDone();
  }

  @Test
  void acquire_costAboveBurst_isNeverImmediately() throws Exception {
    Decision decision = limiter.acquire("k", 11, Duration.ofDays(1_000_000));

    assertThat(decision.neverAllowed()).isTrue();
    assertThat(limiter.peek("k").remaining()).isEqualTo(10);
  }

  @Test
  void acquire_noWait_decides() throws Exception {
    assertThat(limiter.acquire("k", 4, Duration.ZERO).remaining()).isEqualTo(6);
    assertThat(limiter.acquire("k", 7, Duration.ZERO).retryAfter())
        .isEqualTo(limiter.take("k", 7).retryAfter());
    assertThat(limiter.peek("k").remaining()).isEqualTo(6);
  }

  @Test
  void acquire_maxWaitOutOfRange_isForever() {
    limiter.take("k", 10);

    assertThat(limiter.acquireAsync("k", 10, Duration.ofSeconds(Long.MAX_VALUE))).isNotDone();

    clock.advance(Duration.ofSeconds(1));
    assertThat(clock.waiting()).isZero();
  }

  @Test
  void acquire_interrupted_givesTheTokensBack() {
    limiter.take("k", 10);
    Caller caller = new Caller(5);
    assertThat(limiter.peek("k").resetAfter()).isEqualTo(Duration.ofMillis(1_500));

    caller.thread.interrupt();

    assertThatExceptionOfType(ExecutionException.class)
        .isThrownBy(caller::served)
        .withCauseInstanceOf(InterruptedException.class);
    assertThat(limiter.peek("k").resetAfter()).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void acquireAsync_tokensMissing_completesWhenTheyAreAvailable() {
    limiter.take("k", 10);
    CompletableFuture<Decision> served = limiter.acquireAsync("k", 3, MINUTE);

    clock.advanceNanos(299_999_999);
    assertThat(served).isNotDone();

    clock.advanceNanos(1);
    assertThat(served).isCompletedWithValueMatching(Decision::allowed);
  }

  @Test
  void acquireAsync_several_completeInOrderOfArrival() {
    limiter.take("k", 10);
    List<String> order = new ArrayList<>();
    var large = limiter.acquireAsync("k", 5, MINUTE).thenRun(() -> order.add("large"));
    var small = limiter.acquireAsync("k", 1, MINUTE).thenRun(() -> order.add("small"));

    clock.advance(MINUTE);

    assertThat(CompletableFuture.allOf(large, small)).isCompleted();
    assertThat(order).containsExactly("large", "small");
  }

  @Test
  void acquireAsync_notInTime_completesImmediatelyWithTheDenial() {
    limiter.take("k", 10);

    Decision denied = limiter.acquireAsync("k", 3, Duration.ofMillis(200)).getNow(null);

    assertThat(denied.allowed()).isFalse();
    assertThat(denied.retryAfter()).isEqualTo(Duration.ofMillis(100));
  }

  @Test
  void acquireAsync_cancelled_givesTheTokensBackOnce() {
    limiter.take("k", 10);
    CompletableFuture<Decision> served = limiter.acquireAsync("k", 5, MINUTE);

    assertThat(served.cancel(false)).isTrue();
    assertThat(limiter.peek("k").resetAfter()).isEqualTo(Duration.ofSeconds(1));

    served.cancel(false);
    clock.advance(Duration.ofMillis(500));
    assertThat(limiter.peek("k").remaining()).isEqualTo(5);
  }

  @Test
  void acquireAsync_cancelledWhenServed_keepsTheTokens() {
    CompletableFuture<Decision> served = limiter.acquireAsync("k", 5, MINUTE);

    assertThat(served.cancel(false)).isFalse();
    assertThat(limiter.peek("k").remaining()).isEqualTo(5);
  }

  @Test
  void acquire_windowLimiter_isRejected() throws Exception {
    RateLimiter window = RateLimiter.on(store, "window", Limit.fixedWindow(1, MINUTE));

    assertThatExceptionOfType(UnsupportedOperationException.class)
        .isThrownBy(() -> window.acquire("k", 1, MINUTE))
        .withMessageContaining("token bucket")
        .withMessageContaining("window");
    assertThat(window.acquire("k", 1, Duration.ZERO).allowed()).isTrue();
    assertThat(window.acquire("k", 1, Duration.ZERO).retryAfter()).isEqualTo(MINUTE);
  }
}
