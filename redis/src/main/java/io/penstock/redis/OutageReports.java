package io.penstock.redis;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reports to the observer whether Redis is available, and why not. Thread-safe. Each outage is
 * reported immediately, again when its reason changes, and from time to time while it lasts.
 *
 * <p>On a busy machine, a single attempt can fail for an unexpected reason. Another reason than the
 * reported one therefore counts only if two attempts in a row fail for it. While the store starts,
 * the same holds for the first reason, and temporary reasons are not reported. A store that fails
 * fast reports no outage before it was available, because its creation throws the reason instead.
 */
final class OutageReports {
  private static final long REPEAT_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final RedisObserver observer;
  private final Runnable onAvailable;
  private final LongSupplier clock;

  /** Released when Redis is available, or definitely not. */
  private final CountDownLatch started = new CountDownLatch(1);

  private boolean starting = true;

  /** Whether a failed start is reported by an exception. */
  private boolean failingFast;

  private boolean available;
  private @Nullable RedisOutage latest;
  private @Nullable RedisOutage reported;
  private long reportedNanos;
  private volatile @Nullable RedisOutage current;

  /**
   * @param onAvailable runs whenever Redis becomes available; must not block
   */
  OutageReports(RedisObserver observer, boolean failFast, Runnable onAvailable) {
    this(observer, failFast, onAvailable, System::nanoTime);
  }

  OutageReports(
      RedisObserver observer, boolean failFast, Runnable onAvailable, LongSupplier clock) {
    this.observer = observer;
    this.failingFast = failFast;
    this.onAvailable = onAvailable;
    this.clock = clock;
  }

  /** Returns why Redis is unavailable; null if it is available, or if that is still unknown. */
  @Nullable RedisOutage current() {
    return current;
  }

  synchronized void available() {
    current = null;
    latest = null;
    reported = null;
    starting = false;
    failingFast = false;
    if (!available) {
      available = true;
      observer.available(true);
      onAvailable.run();
    }
    started.countDown();
  }

  synchronized void unavailable(RedisOutage outage) {
    boolean repeated = hasSameReason(latest, outage);
    latest = outage;
    if (available) {
      available = false;
      observer.available(false);
    }
    if (starting) {
      current = outage;
      if (repeated && !outage.reason().isTemporary()) {
        report(outage);
        started.countDown();
      }
    } else if (repeated || reported == null || hasSameReason(reported, outage)) {
      report(outage);
    }
  }

  private static boolean hasSameReason(@Nullable RedisOutage first, RedisOutage second) {
    return first != null
        && first.reason() == second.reason()
        && first.address().equals(second.address());
  }

  private void report(RedisOutage outage) {
    starting = false;
    current = outage;
    if (failingFast) {
      return;
    }
    long now = clock.getAsLong();
    if (!hasSameReason(reported, outage) || now - reportedNanos >= REPEAT_NANOS) {
      reported = outage;
      reportedNanos = now;
      observer.unavailable(outage);
    }
  }

  /**
   * Waits until Redis is available, or unavailable for a reason that is not temporary, at most
   * {@code timeout}.
   */
  void awaitStart(Duration timeout) {
    try {
      var unused = started.await(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    endStart();
  }

  private synchronized void endStart() {
    starting = false;
    if (current != null) {
      report(current);
    }
  }

  /** Releases the thread that waits in {@link #awaitStart}. */
  void close() {
    started.countDown();
  }
}
