package io.penstock.algorithm;

import io.penstock.WindowLimit;

/**
 * What a window limit remembers of one key. Not thread-safe: the owner calls one method at a time.
 * Times are ticks of the store's clock, amounts thousandths of a token.
 *
 * <p>A clock that steps back makes what was counted in its future count from now on: no room is
 * gained, and nothing is held against the key for longer than its window.
 */
public abstract sealed class Window permits FixedWindow, SlidingCounter, SlidingLog {
  /** The length of the window, in ticks. */
  final long length;

  Window(long length) {
    this.length = length;
  }

  /** An unused window for {@code limit} on a clock whose tick is {@code tickNanos}. */
  public static Window of(WindowLimit limit, long tickNanos) {
    long ticks = (limit.window().toNanos() - 1) / tickNanos + 1;
    if (limit.kind() == WindowLimit.Counting.FIXED_WINDOW) {
      return new FixedWindow(ticks);
    }
    return limit.kind() == WindowLimit.Counting.SLIDING_WINDOW_COUNTER
        ? new SlidingCounter(ticks)
        : new SlidingLog(ticks);
  }

  /**
   * Forgets what has expired at {@code now}, and stores the effect of a clock that stepped back.
   * Every request does this before it is decided; the methods that only read change nothing.
   */
  public abstract void advance(long now);

  /** What counts against the limit at {@code now}, rounded up. */
  public abstract long used(long now);

  /** Ticks until {@code cost} fits under {@code limit}: 0 now, never more than two windows. */
  public abstract long waitFor(long now, long cost, long limit);

  /** Counts {@code cost} at {@code now}. */
  public abstract void add(long now, long cost);

  /** Ticks until nothing counts any more. */
  public abstract long resetAfter(long now);

  /** Ticks for which something counted at {@code now} goes on counting. */
  public abstract long lifetime(long now);

  /** Memory held, as a multiple of what a window that keeps only counts takes. */
  public int weight() {
    return 1;
  }

  /** Whether counting something at {@code now} needs more memory than is held. */
  public boolean isFull(long now) {
    return false;
  }

  /** What {@link #weight} would be after {@link #grow}. */
  public int grownWeight() {
    return weight();
  }

  /** Gets more memory. */
  public void grow() {}

  /**
   * Gets by with the memory held, by counting some of what is counted for longer than its window.
   */
  public void coarsen() {}

  /** Ticks since the aligned window around {@code now} began. */
  final long elapsed(long now) {
    return Math.floorMod(now, length);
  }

  final long index(long now) {
    return Math.floorDiv(now, length);
  }
}
