package io.penstock.policy.replay;

import io.penstock.NanoClock;

/**
 * A clock that follows the times of a log, in nanoseconds since 1970. It never steps back. Not
 * thread-safe.
 */
public final class LogClock implements NanoClock {
  private long nanos;

  /** Moves the clock to a time, unless it is later already. */
  public void moveTo(long timeNanos) {
    nanos = Math.max(nanos, timeNanos);
  }

  @Override
  public long nanos() {
    return nanos;
  }

  @Override
  public void sleep(long unused) {
    throw new UnsupportedOperationException("a replay doesn't wait");
  }

  @Override
  public void schedule(long unused, Runnable task) {
    throw new UnsupportedOperationException("a replay doesn't wait");
  }
}
