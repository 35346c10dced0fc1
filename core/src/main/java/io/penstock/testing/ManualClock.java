package io.penstock.testing;

import io.penstock.NanoClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CountDownLatch;

/**
 * A clock that stands still until it is moved, also backwards. Thread-safe. Who sleeps on it wakes,
 * and what is scheduled runs, in the thread that moves the clock far enough.
 */
public final class ManualClock implements NanoClock {
  private final PriorityQueue<Timer> timers =
      new PriorityQueue<>(Comparator.comparingLong(Timer::due).thenComparingLong(Timer::number));

  private volatile long nanos;
  private long count;

  private record Timer(long due, long number, Runnable task) {}

  /** A clock at zero. */
  public ManualClock() {
    this(0);
  }

  public ManualClock(long nanos) {
    this.nanos = nanos;
  }

  @Override
  public long nanos() {
    return nanos;
  }

  /** Moves the clock; a negative duration steps back. */
  public void advance(Duration by) {
    advanceNanos(by.toNanos());
  }

  /** Moves the clock by nanoseconds. */
  public void advanceNanos(long by) {
    List<Timer> due;
    synchronized (timers) {
      due = move(nanos + by);
    }
    due.forEach(timer -> timer.task.run());
  }

  /** Puts the clock at an instant of its own. */
  public void set(long nanos) {
    List<Timer> due;
    synchronized (timers) {
      due = move(nanos);
    }
    due.forEach(timer -> timer.task.run());
  }

  private List<Timer> move(long nanos) {
    this.nanos = nanos;
    List<Timer> due = new ArrayList<>();
    for (Timer next = timers.peek(); next != null && next.due <= nanos; next = timers.peek()) {
      due.add(timers.remove());
    }
    return due;
  }

  /** How many sleep on this clock or wait for it to run something. */
  public int waiting() {
    synchronized (timers) {
      return timers.size();
    }
  }

  @Override
  public void sleep(long nanos) throws InterruptedException {
    CountDownLatch woken = new CountDownLatch(1);
    Runnable wake = woken::countDown;
    schedule(nanos, wake);
    try {
      woken.await();
    } finally {
      synchronized (timers) {
        timers.removeIf(timer -> timer.task == wake);
      }
    }
  }

  @Override
  public void schedule(long nanos, Runnable task) {
    synchronized (timers) {
      if (nanos > 0) {
        long due = this.nanos + nanos;
        // Beyond the end of the clock's time is never.
        timers.add(new Timer(due < this.nanos ? Long.MAX_VALUE : due, count++, task));
        return;
      }
    }
    task.run();
  }
}
