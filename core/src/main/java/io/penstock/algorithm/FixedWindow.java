package io.penstock.algorithm;

/**
 * A count per window, with windows aligned to the clock. Not thread-safe.
 *
 * <p>If the clock steps back to before the start of the window, the count is kept for one window
 * length from then on. Such a window ends between two aligned ones, so the next window follows it
 * without a gap. The key returns to aligned windows once it has been unused for the rest of an
 * aligned window. Without this rule, a clock that moves back and forth across a boundary would open
 * a new window each time.
 */
final class FixedWindow extends Window {
  /** The count of the last window that was used, even if it has ended; 0 if there was none. */
  private long count;

  /** The end of that window. */
  private long end;

  FixedWindow(long length) {
    super(length);
  }

  @Override
  public void advance(long now) {
    end = now + Math.min(end - now, length);
  }

  @Override
  public long used(long now) {
    return isOpen(now) ? count : 0;
  }

  @Override
  public long waitFor(long now, long cost, long limit) {
    return used(now) + cost <= limit ? 0 : lifetime(now);
  }

  @Override
  public void add(long now, long cost) {
    long lifetime = lifetime(now);
    count = used(now) + cost;
    end = now + lifetime;
  }

  @Override
  public long lifetime(long now) {
    if (isOpen(now)) {
      return Math.min(end - now, length);
    }
    long sinceEnd = now - end;
    boolean follows = count > 0 && sinceEnd < elapsed(now);
    return length - (follows ? sinceEnd : elapsed(now));
  }

  @Override
  public long resetAfter(long now) {
    return used(now) == 0 ? 0 : lifetime(now);
  }

  private boolean isOpen(long now) {
    return count > 0 && end - now > 0;
  }
}
