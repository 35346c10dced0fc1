package io.penstock.redis;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Times out requests for which no thread is blocked. Thread-safe. All requests have the same
 * timeout, so they expire in the order of their arrival, and a single timer is enough.
 */
final class Deadlines {
  /** A request that is delayed on its way here by more than this gets its own timer. */
  private static final long MAX_LATENESS_NANOS = 1_000_000;

  private final ScheduledExecutorService timer;
  private final Consumer<PendingRequest> onTimeout;
  private final Queue<PendingRequest> pending = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean scheduled = new AtomicBoolean();
  private volatile long lastDeadlineNanos = System.nanoTime();

  /**
   * @param timer a single thread, which silently discards tasks after its shutdown
   */
  Deadlines(ScheduledExecutorService timer, Consumer<PendingRequest> onTimeout) {
    this.timer = timer;
    this.onTimeout = onTimeout;
  }

  void watch(PendingRequest request) {
    long deadline = request.deadlineNanos();
    if (lastDeadlineNanos - deadline > MAX_LATENESS_NANOS) {
      watchAlone(request);
    } else {
      lastDeadlineNanos = deadline;
    }
    pending.add(request);
    schedule();
    if (timer.isShutdown()) {
      giveUpAll();
    }
  }

  private void watchAlone(PendingRequest request) {
    long left = Math.max(0, request.giveUpNanos() - System.nanoTime());
    var unused =
        timer.schedule(
            () -> {
              if (request.isOverdue(System.nanoTime())) {
                giveUp(request);
              } else if (!request.decision().isDone()) {
                watchAlone(request);
              }
            },
            left,
            TimeUnit.NANOSECONDS);
  }

  /** Times out all remaining requests, after the timer has been shut down. */
  void giveUpAll() {
    PendingRequest request;
    while ((request = pending.poll()) != null) {
      giveUp(request);
    }
  }

  /** An exception fails only the request itself and doesn't affect others. */
  private void giveUp(PendingRequest request) {
    try {
      onTimeout.accept(request);
    } catch (RuntimeException failure) {
      request.fail(failure);
    }
  }

  private void schedule() {
    PendingRequest first = pending.peek();
    if (first != null && scheduled.compareAndSet(false, true)) {
      long left = Math.max(0, first.giveUpNanos() - System.nanoTime());
      var unused = timer.schedule(this::sweep, left, TimeUnit.NANOSECONDS);
    }
  }

  private void sweep() {
    PendingRequest first;
    while ((first = pending.peek()) != null
        && (first.decision().isDone() || first.isOverdue(System.nanoTime()))) {
      pending.remove(first);
      if (!first.decision().isDone()) {
        giveUp(first);
      }
    }
    scheduled.set(false);
    schedule();
  }
}
