package io.penstock.algorithm;

/**
 * The count of the current aligned window, plus that of the previous one by the share of it that
 * lies within one window's length of now. Not thread-safe.
 */
final class SlidingCounter extends Window {
  private long index = Long.MIN_VALUE;
  private long current;
  private long previous;

  SlidingCounter(long length) {
    super(length);
  }

  @Override
  public void advance(long now) {
    long next = index(now);
    if (next != index) {
      long rolled = current(next);
      previous = previous(next);
      current = rolled;
      index = next;
    }
  }

  @Override
  public long used(long now) {
    long at = index(now);
    long before = previous(at);
    return current(at)
        + (before == 0 ? 0 : WideMath.timesOverUp(before, length - elapsed(now), length));
  }

  @Override
  public long waitFor(long now, long cost, long limit) {
    if (used(now) + cost <= limit) {
      return 0;
    }
    long at = index(now);
    long current = current(at);
    long room = limit - cost;
    long toEnd = length - elapsed(now);
    if (current <= room) {
      return toEnd - WideMath.timesOver(room - current, length, previous(at));
    }
    // In the next window the current count is the previous one, and shrinks.
    return toEnd + length - WideMath.timesOver(room, length, current);
  }

  @Override
  public void add(long now, long cost) {
    advance(now);
    current += cost;
  }

  @Override
  public long lifetime(long now) {
    return 2 * length - elapsed(now);
  }

  @Override
  public long resetAfter(long now) {
    long at = index(now);
    long toEnd = length - elapsed(now);
    return current(at) > 0 ? toEnd + length : previous(at) > 0 ? toEnd : 0;
  }

  /** The count of the window with the index {@code next}. */
  private long current(long next) {
    if (next > index) {
      return 0;
    }
    // After a step back, the share of the previous count would be another window's: all counts.
    return next < index ? current + previous : current;
  }

  /** The count of the window before that. */
  private long previous(long next) {
    if (next > index) {
      return next == index + 1 ? current : 0;
    }
    return next < index ? 0 : previous;
  }
}
