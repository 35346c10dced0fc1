package io.penstock.redis;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reports to the observer whether Redis is available, and why not. Thread-safe. Each outage is
 * reported once, and again when its reason changes. While the store starts, an outage is reported
 * only if its reason is not temporary and two attempts in a row failed for it, because a starting
 * JVM or server can make a single attempt fail in unexpected ways.
 */
final class OutageReports {
  private final RedisObserver observer;

  /** Released when Redis is available, or definitely not. */
  private final CountDownLatch started = new CountDownLatch(1);

  private boolean starting = true;
  private boolean available;
  private @Nullable RedisOutage reported;
  private volatile @Nullable RedisOutage current;

  OutageReports(RedisObserver observer) {
    this.observer = observer;
  }

  /** Returns why Redis is unavailable; null if it is available, or if that is still unknown. */
  @Nullable RedisOutage current() {
    return current;
  }

  synchronized void available() {
    current = null;
    reported = null;
    starting = false;
    if (!available) {
      available = true;
      observer.available(true);
    }
    started.countDown();
  }

  synchronized void unavailable(RedisOutage outage) {
    boolean repeated = current != null && current.reason() == outage.reason();
    current = outage;
    if (available) {
      available = false;
      observer.available(false);
    }
    if (!starting || (repeated && !outage.reason().isTemporary())) {
      report(outage);
      started.countDown();
    }
  }

  private void report(RedisOutage outage) {
    starting = false;
    boolean same =
        reported != null
            && reported.reason() == outage.reason()
            && reported.address().equals(outage.address());
    if (!same) {
      reported = outage;
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
