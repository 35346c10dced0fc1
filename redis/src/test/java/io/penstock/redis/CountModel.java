package io.penstock.redis;

import io.penstock.WindowLimit;
import io.penstock.algorithm.Window;

/**
 * A fixed window or a sliding counter as a value: the counts at the last write. No time passes
 * while the clock is behind that, and a fixed window that has begun stays open. Immutable.
 *
 * @param current the count of the aligned window that contains {@code written}, in thousandths
 * @param previous the count of the window before
 * @param ahead how many windows after the one that contains {@code written} the counted one is
 */
record CountModel(WindowLimit limit, long written, long current, long previous, long ahead) {
  static CountModel unused(WindowLimit limit, long now) {
    return new CountModel(limit, now, 0, 0, 0);
  }

  /** Returns this state as rewritten at {@code now}. */
  CountModel at(long now) {
    long length = length();
    long ended = now / length - written / length - ahead;
    if (now < written && isCounter()) {
      return new CountModel(limit, now, window(written).used(written), 0, 0);
    } else if (now < written) {
      long moved = (written - now) / length;
      return new CountModel(limit, now, current, 0, Math.min(1, -ended - moved));
    }
    if (ended <= 0) {
      return new CountModel(limit, now, current, previous, -ended);
    }
    return new CountModel(limit, now, 0, ended == 1 ? current : 0, 0);
  }

  /** Whether windows have ended since it was written; then every operation rewrites it. */
  boolean isExpired(long now) {
    return now / length() > written / length() + ahead;
  }

  /** How much later the window ends than the aligned one that contains {@code now}, in ticks. */
  long late(long now) {
    return at(now).ahead * length();
  }

  private long length() {
    return limit.window().toNanos() / Ticks.NANOS;
  }

  private boolean isCounter() {
    return limit.kind() == WindowLimit.Counting.SLIDING_WINDOW_COUNTER;
  }

  CountModel plus(long cost) {
    return new CountModel(limit, written, current + cost, previous, ahead);
  }

  /** Returns the same state as a window of core, updated to {@code now}. */
  Window window(long now) {
    CountModel there = now == written ? this : at(now);
    Window window = Window.of(limit, Ticks.NANOS);
    if (isCounter() && there.previous > 0) {
      window.add(now - length(), there.previous);
    }
    if (there.current > 0) {
      window.add(now, there.current);
    }
    return window;
  }
}
