package io.penstock;

/**
 * The clock of a limiter: nanoseconds since an arbitrary origin, so only differences are
 * meaningful. Thread-safe.
 */
public interface NanoClock {
  /** The monotonic clock of this machine, {@link System#nanoTime()}. */
  static NanoClock system() {
    return SystemNanoClock.INSTANCE;
  }

  /** Nanoseconds since this clock's origin. */
  long nanos();

  /** Blocks until {@code nanos} have passed on this clock. */
  void sleep(long nanos) throws InterruptedException;

  /** Runs {@code task} on some thread after {@code nanos} have passed on this clock. */
  void schedule(long nanos, Runnable task);
}
