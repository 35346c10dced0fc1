package io.penstock.inprocess;

/** How to wait for a slot that another thread holds for some tens of nanoseconds. */
final class Spin {
  private static final int BEFORE_YIELD = 64;

  private Spin() {}

  @SuppressWarnings("ThreadPriorityCheck") // a hint is all that is needed: the caller looks again
  static void once(int spins) {
    if (spins < BEFORE_YIELD) {
      Thread.onSpinWait();
    } else {
      // The holder has lost its core: let it run.
      Thread.yield();
    }
  }
}
