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
    long rolled = current(now);
    previous = previous(now);
    current = rolled;
    index = index(now);
  }

  @Override
  public long used(long now) {
    return current(now) + Exact.timesOverUp(previous(now), length - elapsed(now), length);
  }

  @Override
  public long waitFor(long now, long cost, long limit) {
    if (used(now) + cost <= limit) {
      return 0;
    }
    long current = current(now);
    long room = limit - cost;
    long toEnd = length - elapsed(now);
    if (current <= room) {
      return toEnd - Exact.timesOver(room - current, length, previous(now));
    }
    // In the next window the current count is the previous one, and shrinks.
    return toEnd + length - Exact.timesOver(room, length, current);
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
    long toEnd = length - elapsed(now);
    return current(now) > 0 ? toEnd + length : previous(now) > 0 ? toEnd : 0;
  }

  /** The count of the window around {@code now}. */
  private long current(long now) {
    long next = index(now);
    if (next > index) {
      return 0;
    }
    // After a step back, the share of the previous count would be another window's: all counts.
    return next < index ? current + previous : current;
  }

  /** The count of the window before that. */
  private long previous(long now) {
    long next = index(now);
    if (next > index) {
      return next == index + 1 ? current : 0;
    }
    return next < index ? 0 : previous;
  }
}
