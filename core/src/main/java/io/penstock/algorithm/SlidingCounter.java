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
  public long used(long now) {
    roll(now);
    return current + Exact.timesOverUp(previous, length - elapsed(now), length);
  }

  @Override
  public long waitFor(long now, long cost, long limit) {
    if (used(now) + cost <= limit) {
      return 0;
    }
    long room = limit - cost;
    long toEnd = length - elapsed(now);
    if (current <= room) {
      return toEnd - Exact.timesOver(room - current, length, previous);
    }
    // In the next window the current count is the previous one, and shrinks.
    return toEnd + length - Exact.timesOver(room, length, current);
  }

  @Override
  public void add(long now, long cost) {
    roll(now);
    current += cost;
  }

  @Override
  public long lifetime(long now) {
    return 2 * length - elapsed(now);
  }

  @Override
  public long resetAfter(long now) {
    roll(now);
    long toEnd = length - elapsed(now);
    return current > 0 ? toEnd + length : previous > 0 ? toEnd : 0;
  }

  private void roll(long now) {
    long next = index(now);
    if (next > index) {
      previous = next == index + 1 ? current : 0;
      current = 0;
    } else if (next < index) {
      // The share of the previous count would be another window's: all of it counts here.
      current += previous;
      previous = 0;
    }
    index = next;
  }
}
