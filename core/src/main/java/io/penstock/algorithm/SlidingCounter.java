package io.penstock.algorithm;

/**
 * The count of the current aligned window, plus the count of the previous one times the fraction of
 * it that lies within one window length from now. Not thread-safe.
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
        + (before == 0 ? 0 : WideMath.multiplyDivideUp(before, length - elapsed(now), length));
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
      return toEnd - WideMath.multiplyDivide(room - current, length, previous(at));
    }
    // In the next window, the current count becomes the previous one, whose weight decreases.
    return toEnd + length - WideMath.multiplyDivide(room, length, current);
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

  /** Returns the count of the window with index {@code next}. */
  private long current(long next) {
    if (next > index) {
      return 0;
    }
    // After a step back, the previous count would be weighted as part of another window, so count
    // it fully.
    return next < index ? current + previous : current;
  }

  /** Returns the count of the window before {@code next}. */
  private long previous(long next) {
    if (next > index) {
      return next == index + 1 ? current : 0;
    }
    return next < index ? 0 : previous;
  }
}
