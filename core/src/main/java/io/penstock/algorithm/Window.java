package io.penstock.algorithm;

import io.penstock.WindowLimit;

/**
 * The state of a window limit for one key. Not thread-safe: the owner serializes all calls. Times
 * are ticks of the store's clock, amounts are thousandths of a token.
 *
 * <p>If the clock steps back, costs that were counted at a time that is now in the future count
 * from now on. So a step back never frees capacity, and what was counted before it expires within
 * two windows after it.
 */
public abstract sealed class Window permits FixedWindow, SlidingCounter, SlidingLog {
  /** Counts are at most this, so that sums of them don't overflow. */
  private static final long MAX_COUNT = Long.MAX_VALUE / 4;

  /** The length of the window, in ticks. */
  final long length;

  Window(long length) {
    this.length = length;
  }

  /** Creates an unused window for {@code limit} on a clock whose tick is {@code tickNanos}. */
  public static Window of(WindowLimit limit, long tickNanos) {
    long ticks = (limit.window().toNanos() - 1) / tickNanos + 1;
    if (limit.kind() == WindowLimit.Counting.FIXED_WINDOW) {
      return new FixedWindow(ticks, limit.burstThousandths());
    }
    return limit.kind() == WindowLimit.Counting.SLIDING_WINDOW_COUNTER
        ? new SlidingCounter(ticks, limit.burstThousandths())
        : new SlidingLog(ticks);
  }

  /**
   * Takes over the counts of a window of the same kind and length, up to the own limit. Returns
   * whether these are known to be complete; an exhausted window doesn't count every grant of other
   * limits.
   */
  public boolean continueFrom(Window other, long now) {
    return false;
  }

  /**
   * Removes the costs that have expired at {@code now}, and stores the effect of a clock that
   * stepped back. Called for every request before it is decided; the methods that only read don't
   * change anything.
   */
  public abstract void advance(long now);

  /** Returns the amount that counts against the limit at {@code now}, rounded up. */
  public abstract long used(long now);

  /**
   * Returns the ticks until {@code cost} fits under {@code limit}: 0 if it does now, at most two
   * windows unless other limits have granted something, too.
   */
  public abstract long waitFor(long now, long cost, long limit);

  /** Counts {@code cost} at {@code now}. */
  public abstract void add(long now, long cost);

  /**
   * Counts {@code cost} at {@code now}, which another limit granted, up to {@code max} in total.
   * What exceeds the limit of the window counts in the windows that follow; a log forgets its
   * oldest costs instead, which make no difference to requests under a limit of {@code max}.
   */
  public abstract void addForeign(long now, long cost, long max);

  /**
   * Returns the largest count that grants of other limits lead to: {@code limit}, plus what expires
   * within {@code longest} ticks.
   */
  public long maxCount(long limit, long longest) {
    long windows = 1 + (longest + length - 1) / length;
    return limit <= MAX_COUNT / windows ? limit * windows : MAX_COUNT;
  }

  /** Returns the ticks until nothing counts any more. */
  public abstract long resetAfter(long now);

  /** Returns the ticks until a cost that is counted at {@code now} expires. */
  public abstract long lifetime(long now);

  /** Memory use, as a multiple of that of a window that only has counters. */
  public int weight() {
    return 1;
  }

  /** Whether counting a cost at {@code now} requires {@link #grow} or {@link #coarsen} first. */
  public boolean isFull(long now) {
    return false;
  }

  /** The value of {@link #weight} after {@link #grow}. */
  public int grownWeight() {
    return weight();
  }

  /** Allocates more memory. */
  public void grow() {}

  /**
   * Frees entries without allocating memory, by merging some of them; merged costs count for longer
   * than one window.
   */
  public void coarsen() {}

  public final long length() {
    return length;
  }

  /** Ticks since the start of the aligned window that contains {@code now}. */
  final long elapsed(long now) {
    return Math.floorMod(now, length);
  }

  final long index(long now) {
    return Math.floorDiv(now, length);
  }
}
