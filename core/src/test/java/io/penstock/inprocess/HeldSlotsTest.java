package io.penstock.inprocess;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Limit;
import io.penstock.NanoClock;
import io.penstock.RateLimiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A thread that finds a bucket held parks until it is released, because spinning can keep the
 * holder from running. The holder is blocked in the clock, which it reads while it holds the
 * bucket.
 */
class HeldSlotsTest {
  private final StoppingClock clock = new StoppingClock();
  private final InProcessStore store =
      InProcessStore.builder().clock(clock).hash(new SipHash(3, 4)).maxKeys(500).build();
  private final RateLimiter bucket = RateLimiter.on(store, "b", Limit.perDay(1).burst(1_000));
  private final RateLimiter window =
      RateLimiter.on(store, "w", Limit.fixedWindow(1_000, Duration.ofDays(1)));
  private final List<Thread> threads = new ArrayList<>();

  /** A clock that blocks one thread at its next reading until it is released. */
  private static final class StoppingClock implements NanoClock {
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch go = new CountDownLatch(1);
    private volatile @Nullable Thread stopped;

    @Override
    public long nanos() {
      if (Thread.currentThread() == stopped && reached.getCount() > 0) {
        reached.countDown();
        await(go);
      }
      return 0;
    }

    private static void await(CountDownLatch latch) {
      try {
        assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
      } catch (InterruptedException stop) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public void sleep(long nanos) {
      throw new IllegalStateException("no thread may sleep on this clock");
    }

    @Override
    public void schedule(long nanos, Runnable task) {
      throw new IllegalStateException("no task may be scheduled on this clock");
    }
  }

  HeldSlotsTest() {
    bucket.tryAcquire("k");
    window.tryAcquire("k");
  }

  @AfterEach
  void everybodyGetsThrough() throws InterruptedException {
    clock.go.countDown();
    for (Thread thread : threads) {
      thread.join(TimeUnit.MINUTES.toMillis(1));
      assertThat(thread.isAlive()).as("%s", thread).isFalse();
    }
  }

  @Test
  void tryAcquire_ofABucketThatIsHeld_parks() {
    holdBoth();
    assertParks(() -> bucket.tryAcquire("k"));
  }

  @Test
  void refund_ofABucketThatIsHeld_parks() {
    holdBoth();
    assertParks(() -> bucket.refund("k", 1));
  }

  @Test
  void tryAcquire_underAnotherLimitOfABucketThatIsHeld_parks() {
    RateLimiter other = RateLimiter.on(store, "b", Limit.perDay(2).burst(2_000));
    holdBoth();
    assertParks(() -> other.tryAcquire("k"));
  }

  @Test
  void tryAcquire_newKeysInTheSegmentOfABucketThatIsHeld_parks() {
    holdBoth();
    assertParks(
        () -> {
          for (int i = 0; i < 100; i++) {
            bucket.tryAcquire("new-" + i);
          }
        });
  }

  @Test
  void tryAcquire_ofAWindowThatIsHeld_parks() {
    holdBoth();
    assertParks(() -> window.tryAcquire("k"));
  }

  @Test
  void all_ofBucketsThatAreHeld_parks() {
    holdBoth();
    assertParks(() -> RateLimiter.all(window.at("k"), bucket.at("k")).tryAcquire());
  }

  /** Starts a request that holds the bucket and the window until the end of the test. */
  private void holdBoth() {
    Thread holder = thread(() -> RateLimiter.all(bucket.at("k"), window.at("k")).tryAcquire());
    clock.stopped = holder;
    holder.start();
    StoppingClock.await(clock.reached);
  }

  private void assertParks(Runnable request) {
    Thread waiter = thread(request);
    waiter.start();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (waiter.getState() != Thread.State.WAITING && System.nanoTime() < end) {
      Thread.onSpinWait();
    }
    assertThat(waiter.getState()).isEqualTo(Thread.State.WAITING);
  }

  private Thread thread(Runnable request) {
    Thread thread = new Thread(request);
    threads.add(thread);
    return thread;
  }
}
