package io.penstock.inprocess;

import io.penstock.NanoClock;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that advances with every reading, and remembers the last reading of each thread. */
final class SteppingClock implements NanoClock {
  final AtomicLong nanos = new AtomicLong();
  final ThreadLocal<Long> last = ThreadLocal.withInitial(() -> 0L);
  private final long step;

  SteppingClock(long step) {
    this.step = step;
  }

  @Override
  public long nanos() {
    long now = nanos.addAndGet(step);
    last.set(now);
    return now;
  }

  @Override
  public void sleep(long nanos) {
    this.nanos.addAndGet(nanos);
  }

  @Override
  public void schedule(long nanos, Runnable task) {
    task.run();
  }
}
