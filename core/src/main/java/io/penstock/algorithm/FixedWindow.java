package io.penstock.algorithm;

/**
 * A count per window, with windows aligned to the clock. Not thread-safe.
 *
 * <p>If the clock steps back to before the start of the window, the count is kept for one window
 * length from then on. Such a window ends between two aligned ones, so the next window follows it
 * without a gap. The key returns to aligned windows once it has been unused for the rest of an
 * aligned window. Without this rule, a clock that moves back and forth across a boundary would open
 * a new window each time.
 *
 * <p>A window counts no more than its limit. When it ends, what other limits granted beyond that
 * counts in the next one.
 */
final class FixedWindow extends Window {
  private final long limit;

  /** The count of the last window that was used, even if it has ended; 0 if there was none. */
  private long count;

  /** The end of that window. */
  private long end;

  FixedWindow(long length, long limit) {
    super(length);
    this.limit = limit;
  }

  @Override
  public boolean continueFrom(Window other, long now) {
    if (!(other instanceof FixedWindow fixed) || other.length != length) {
      return false;
    }
    if (fixed.count(now) > count) {
      count = Math.min(fixed.count(now), limit);
      end = fixed.end(now);
    }
    return fixed.used(now) < fixed.limit;
  }

  @Override
  public void advance(long now) {
    long ended = ended(now);
    count -= ended * limit;
    end += ended * length;
    end = now + Math.min(end - now, length);
  }

  @Override
  public long used(long now) {
    long count = count(now);
    return count > 0 && end(now) - now > 0 ? count : 0;
  }

  @Override
  public long waitFor(long now, long cost, long limit) {
    long excess = used(now) + cost - limit;
    return excess <= 0 ? 0 : lifetime(now) + (windows(excess) - 1) * length;
  }

  @Override
  public void add(long now, long cost) {
    long lifetime = lifetime(now);
    count = used(now) + cost;
    end = now + lifetime;
  }

  @Override
  public void addForeign(long now, long cost, long max) {
    long counted = Math.min(cost, max - used(now));
    if (counted > 0) {
      add(now, counted);
    }
  }

  @Override
  public long lifetime(long now) {
    long end = end(now);
    if (used(now) > 0) {
      return Math.min(end - now, length);
    }
    long sinceEnd = now - end;
    boolean follows = count > 0 && sinceEnd < elapsed(now);
    return length - (follows ? sinceEnd : elapsed(now));
  }

  @Override
  public long resetAfter(long now) {
    long used = used(now);
    return used == 0 ? 0 : lifetime(now) + (windows(used) - 1) * length;
  }

  /** The number of windows that grant {@code amount}. */
  private long windows(long amount) {
    return (amount - 1) / limit + 1;
  }

  /** How many windows have ended until {@code now} whose excess counts in the next one. */
  private long ended(long now) {
    if (count <= limit || end - now > 0) {
      return 0;
    }
    return Math.min((now - end) / length + 1, windows(count) - 1);
  }

  private long count(long now) {
    return count - ended(now) * limit;
  }

  private long end(long now) {
    return end + ended(now) * length;
  }
}
