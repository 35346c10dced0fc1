package io.penstock;

/**
 * Time as limiters see it: nanoseconds from an arbitrary origin, of which only differences count.
 * Thread-safe.
 */
public interface NanoClock {
  /** The clock of this machine that never steps: {@link System#nanoTime()}. */
  static NanoClock system() {
    return SystemNanoClock.INSTANCE;
  }

  /** Nanoseconds since this clock's origin. */
  long nanos();

  /** Returns once {@code nanos} have passed on this clock. */
  void sleep(long nanos) throws InterruptedException;

  /** Runs {@code task} on some thread once {@code nanos} have passed on this clock. */
  void schedule(long nanos, Runnable task);
}
