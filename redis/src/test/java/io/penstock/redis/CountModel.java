package io.penstock.redis;

import io.penstock.WindowLimit;
import io.penstock.algorithm.Window;

/**
 * A fixed window or a sliding counter as a value: what was counted when it was last written. No
 * time passes while the clock is behind that. Immutable.
 *
 * @param current counted in the aligned window around {@code written}, in thousandths
 * @param previous counted in the window before
 */
record CountModel(WindowLimit limit, long written, long current, long previous) {
  static CountModel unused(WindowLimit limit, long now) {
    return new CountModel(limit, now, 0, 0);
  }

  /** Written anew at {@code now}. */
  CountModel at(long now) {
    if (now < written) {
      return new CountModel(limit, now, window(written).used(written), 0);
    }
    long length = limit.window().toNanos() / Ticks.NANOS;
    long ended = now / length - written / length;
    long before = ended == 0 ? previous : ended == 1 ? current : 0;
    return new CountModel(limit, now, ended == 0 ? current : 0, before);
  }

  /** Whether windows have ended since it was written: then it is written anew by anybody. */
  boolean isOver(long now) {
    long length = limit.window().toNanos() / Ticks.NANOS;
    return now / length > written / length;
  }

  CountModel plus(long cost) {
    return new CountModel(limit, written, current + cost, previous);
  }

  /** The same as core has it, brought to {@code now}. */
  Window window(long now) {
    CountModel there = now == written ? this : at(now);
    Window window = Window.of(limit, Ticks.NANOS);
    if (limit.kind() == WindowLimit.Kind.SLIDING_WINDOW_COUNTER && there.previous > 0) {
      window.add(now - limit.window().toNanos() / Ticks.NANOS, there.previous);
    }
    if (there.current > 0) {
      window.add(now, there.current);
    }
    return window;
  }
}
