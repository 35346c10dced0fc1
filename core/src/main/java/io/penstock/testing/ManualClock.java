package io.penstock.testing;

import io.penstock.NanoClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CountDownLatch;

/**
 * A clock that moves only by explicit calls, forwards or backwards. Thread-safe. Moving the clock
 * wakes threads whose sleep is over, and runs due tasks in the calling thread.
 */
public final class ManualClock implements NanoClock {
  private final PriorityQueue<Timer> timers =
      new PriorityQueue<>(Comparator.comparingLong(Timer::due).thenComparingLong(Timer::number));

  private volatile long nanos;
  private long count;

  private record Timer(long due, long number, Runnable task) {}

  /** Creates a clock at zero. */
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

  /** Moves the clock by nanoseconds; a negative value steps back. */
  public void advanceNanos(long by) {
    List<Timer> due;
    synchronized (timers) {
      due = move(nanos + by);
    }
    due.forEach(timer -> timer.task.run());
  }

  /** Sets the clock to {@code nanos}. */
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

  /** The number of sleeping threads and scheduled tasks. */
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
        // An overflow means never.
        timers.add(new Timer(due < this.nanos ? Long.MAX_VALUE : due, count++, task));
        return;
      }
    }
    task.run();
  }
}
