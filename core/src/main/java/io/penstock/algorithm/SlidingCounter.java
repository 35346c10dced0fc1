package io.penstock.algorithm;

/**
 * The count of the current aligned window, plus the count of the previous one times the fraction of
 * it that lies within one window length from now. Not thread-safe.
 *
 * <p>A window counts no more than its limit. What other limits granted beyond that is the excess,
 * which counts in the current window, too, and when that ends, in the next one.
 */
final class SlidingCounter extends Window {
  private final long limit;

  private long index = Long.MIN_VALUE;
  private long current;
  private long previous;
  private long excess;

  SlidingCounter(long length, long limit) {
    super(length);
    this.limit = limit;
  }

  @Override
  public boolean continueFrom(Window other, long now) {
    if (!(other instanceof SlidingCounter counter) || other.length != length) {
      return false;
    }
    index = index(now);
    long counted = counter.current(index);
    long before = counter.previous(index);
    current = Math.max(current, Math.min(counted, limit));
    previous = Math.max(previous, Math.min(before, limit));
    return Math.max(counted, before) < counter.limit;
  }

  @Override
  public void advance(long now) {
    long next = index(now);
    if (next != index) {
      long rolled = current(next);
      previous = previous(next);
      excess = excess(next);
      current = rolled;
      index = next;
    }
  }

  @Override
  public long used(long now) {
    long at = index(now);
    long before = previous(at);
    return current(at)
        + excess(at)
        + (before == 0 ? 0 : WideMath.multiplyDivideUp(before, length - elapsed(now), length));
  }

  @Override
  public long waitFor(long now, long cost, long limit) {
    if (used(now) + cost <= limit) {
      return 0;
    }
    long at = index(now);
    long current = current(at);
    long excess = excess(at);
    long room = limit - cost;
    long toEnd = length - elapsed(now);
    if (current + excess <= room) {
      return toEnd - WideMath.multiplyDivide(room - current - excess, length, previous(at));
    }
    // In the first window that counts no more than the room, the count of the window before it is
    // the previous one, whose weight decreases.
    long ended = excess <= room ? 1 : (excess - room - 1) / this.limit + 2;
    long before = ended == 1 ? current : Math.min(this.limit, excess - (ended - 2) * this.limit);
    long left = room - Math.max(0, excess - (ended - 1) * this.limit);
    long shrinks = left >= before ? 0 : length - WideMath.multiplyDivide(left, length, before);
    return toEnd + (ended - 1) * length + shrinks;
  }

  @Override
  public void add(long now, long cost) {
    advance(now);
    current += cost;
  }

  @Override
  public void addForeign(long now, long cost, long max) {
    advance(now);
    long counted = Math.min(cost, Math.max(0, max - current - excess));
    long within = Math.min(counted, Math.max(0, limit - current));
    current += within;
    excess += counted - within;
  }

  @Override
  public long lifetime(long now) {
    return 2 * length - elapsed(now);
  }

  @Override
  public long resetAfter(long now) {
    long at = index(now);
    long toEnd = length - elapsed(now);
    if (current(at) == 0) {
      return previous(at) > 0 ? toEnd : 0;
    }
    long following = excess(at) == 0 ? 0 : (excess(at) - 1) / limit + 1;
    return toEnd + (1 + following) * length;
  }

  /** Returns the count of the window with index {@code next}. */
  private long current(long next) {
    if (next > index) {
      return Math.min(limit, excessAfter(next - index - 1));
    }
    // After a step back, the previous count would be weighted as part of another window, so count
    // it fully.
    return next < index ? current + previous : current;
  }

  /** Returns the count of the window before {@code next}. */
  private long previous(long next) {
    if (next > index) {
      return next == index + 1 ? current : Math.min(limit, excessAfter(next - index - 2));
    }
    return next < index ? 0 : previous;
  }

  /** Returns the excess in the window with index {@code next}. */
  private long excess(long next) {
    return next > index ? excessAfter(next - index) : excess;
  }

  /** Returns the part of the excess that a number of windows leave. */
  private long excessAfter(long windows) {
    return excess == 0 || windows > excess / limit ? 0 : excess - windows * limit;
  }
}
