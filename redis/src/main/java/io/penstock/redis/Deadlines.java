package io.penstock.redis;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Gives up requests that nobody waits for with a thread of their own, when their time is over.
 * Thread-safe. All have the same time to wait, so the first to come is the first to go, and one
 * timer is enough for all.
 */
final class Deadlines {
  /** Who is held up on its way here for longer than that has a timer of its own. */
  private static final long MAX_LATENESS_NANOS = 1_000_000;

  private final ScheduledExecutorService timer;
  private final Consumer<PendingRequest> overdue;
  private final Queue<PendingRequest> watched = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean ticking = new AtomicBoolean();
  private volatile long lastDeadlineNanos = System.nanoTime();

  /**
   * @param timer one thread, which silently takes nothing more once it is shut down
   */
  Deadlines(ScheduledExecutorService timer, Consumer<PendingRequest> overdue) {
    this.timer = timer;
    this.overdue = overdue;
  }

  void watch(PendingRequest ask) {
    long deadline = ask.deadlineNanos();
    if (lastDeadlineNanos - deadline > MAX_LATENESS_NANOS) {
      long left = Math.max(0, deadline - System.nanoTime());
      var unused = timer.schedule(() -> giveUp(ask), left, TimeUnit.NANOSECONDS);
    } else {
      lastDeadlineNanos = deadline;
    }
    watched.add(ask);
    tick();
    if (timer.isShutdown()) {
      giveUpAll();
    }
  }

  /** Gives up what is still watched, once the timer is shut down. */
  void giveUpAll() {
    PendingRequest ask;
    while ((ask = watched.poll()) != null) {
      giveUp(ask);
    }
  }

  /** One that can't be given up fails by itself, and holds up no others. */
  private void giveUp(PendingRequest ask) {
    try {
      overdue.accept(ask);
    } catch (RuntimeException failure) {
      ask.fail(failure);
    }
  }

  private void tick() {
    PendingRequest first = watched.peek();
    if (first != null && ticking.compareAndSet(false, true)) {
      long left = Math.max(0, first.deadlineNanos() - System.nanoTime());
      var unused = timer.schedule(this::sweep, left, TimeUnit.NANOSECONDS);
    }
  }

  private void sweep() {
    PendingRequest first;
    while ((first = watched.peek()) != null
        && (first.answer().isDone() || first.deadlineNanos() - System.nanoTime() <= 0)) {
      watched.remove(first);
      if (!first.answer().isDone()) {
        giveUp(first);
      }
    }
    ticking.set(false);
    tick();
  }
}
