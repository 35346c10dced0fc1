package io.penstock.algorithm;

/**
 * One count for each window, aligned to the clock. Not thread-safe.
 *
 * <p>When the clock steps back behind the start of the window, the count is kept for one length
 * from then on. Such a window ends between two aligned ones, so the next one follows it without a
 * gap; the key is aligned again as soon as it has not been used for the rest of an aligned window.
 * Otherwise a clock that goes back and forth over an edge would open a window each time.
 */
final class FixedWindow extends Window {
  /** What was counted in the last window that was used, even if it is over; 0 if none was. */
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
