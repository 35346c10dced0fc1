package io.penstock.inprocess;

import io.penstock.NanoClock;

/** A clock that never moves and has no state that a model checker would have to explore. */
final class FrozenClock implements NanoClock {
  @Override
  public long nanos() {
    return 0;
  }

  @Override
  public void sleep(long nanos) {
    throw new IllegalStateException("a sleep on a frozen clock never ends");
  }

  @Override
  public void schedule(long nanos, Runnable task) {
    throw new IllegalStateException("a task on a frozen clock never runs");
  }
}
