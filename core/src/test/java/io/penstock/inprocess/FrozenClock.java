package io.penstock.inprocess;

import io.penstock.NanoClock;

/** A clock that never moves and holds nothing that a model checker would have to look into. */
final class FrozenClock implements NanoClock {
  @Override
  public long nanos() {
    return 0;
  }

  @Override
  public void sleep(long nanos) {
    throw new IllegalStateException("nobody wakes from a frozen clock");
  }

  @Override
  public void schedule(long nanos, Runnable task) {
    throw new IllegalStateException("nothing comes due on a frozen clock");
  }
}
