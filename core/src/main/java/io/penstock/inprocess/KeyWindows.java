package io.penstock.inprocess;

import io.penstock.WindowLimit;
import io.penstock.algorithm.Window;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The counts of one key under each limit that it is used under. Guarded by the {@link KeyLock} of
 * the key.
 *
 * <p>Every grant counts under all limits. What exceeds a limit counts in its next windows, so that
 * windows of different lengths, which end one after the other, don't grant anything twice. A limit
 * that is used for the first time applies the counts of the others until it grants something
 * itself.
 */
final class KeyWindows {
  private static final long TICK_NANOS = 1;

  /**
   * Identifies a count: sliding logs of the same length share one, whatever their limits, because
   * each of them only counts the latest costs.
   *
   * @param limit the limit in thousandths of a token; 0 for a log
   */
  record WindowShape(WindowLimit.Counting kind, Duration length, long limit) {
    static WindowShape of(WindowLimit limit) {
      boolean isLog = limit.kind() == WindowLimit.Counting.SLIDING_WINDOW_LOG;
      return new WindowShape(limit.kind(), limit.window(), isLog ? 0 : limit.burstThousandths());
    }

    boolean isOf(WindowLimit other) {
      return kind == other.kind()
          && length.equals(other.window())
          && (limit == 0 || limit == other.burstThousandths());
    }

    /** Whether the windows of both end at the same times. */
    boolean endsWith(WindowShape other) {
      return limit > 0 && other.limit > 0 && length.equals(other.length);
    }
  }

  private static final class WindowState {
    private final WindowShape shape;
    private final Window window;
    private @Nullable WindowState next;

    /** The largest limit that granted something, and the smallest that was used. */
    private long maxLimit;

    private long minLimit;

    WindowState(WindowLimit limit, @Nullable WindowState next) {
      this.shape = WindowShape.of(limit);
      this.window = Window.of(limit, TICK_NANOS);
      this.next = next;
      this.maxLimit = limit.burstThousandths();
      this.minLimit = maxLimit;
    }

    private void count(long now, long cost) {
      if (window.isFull(now)) {
        window.coarsen();
      }
      window.add(now, cost);
    }

    /** Counts a cost that another limit granted, up to what expires within {@code span} ticks. */
    private void countForeign(long now, long cost, long span) {
      if (window.isFull(now)) {
        window.coarsen();
      }
      window.addForeign(now, cost, window.maxCount(maxLimit, span));
    }

    /** Counts at least {@code used}, up to {@code limit}, which the window is used under. */
    private void raise(WindowLimit limit, long now, long used) {
      maxLimit = limit.burstThousandths();
      long missing = Math.min(used, maxLimit) - window.used(now);
      if (missing > 0) {
        count(now, missing);
      }
    }
  }

  /** Null if nothing has been counted yet. */
  private @Nullable WindowState first;

  /** The weight that is counted in the store's budget. */
  int weight = 1;

  /** Whether this object was evicted or replaced; its key has another one, or none. */
  boolean retired;

  /** Whether a request was denied since the first cost was counted. */
  boolean denied;

  /** Whether a request is allocating memory for it, so that it must not be evicted. */
  boolean growing;

  /**
   * Updates the state for a request under {@code limit}. If that is used for the first time, it
   * replaces the limits that are no longer active.
   */
  void advance(WindowLimit limit, long now, ActiveLimits<WindowShape> activeLimits) {
    for (WindowState state = first; state != null; state = state.next) {
      state.window.advance(now);
    }
    WindowState own = find(limit);
    if (own != null) {
      own.minLimit = Math.min(own.minLimit, limit.burstThousandths());
    } else if (hasInactive(activeLimits)) {
      WindowState last = add(limit, now);
      while (last.next != null) {
        if (activeLimits.contains(last.next.shape)) {
          last = last.next;
        } else {
          last.next = last.next.next;
        }
      }
    }
  }

  /** Returns the state that a request under {@code limit} would see, without changing this one. */
  KeyWindows viewUnder(WindowLimit limit, long now, ActiveLimits<WindowShape> activeLimits) {
    if (find(limit) != null || !hasInactive(activeLimits)) {
      return this;
    }
    KeyWindows view = new KeyWindows();
    view.first = first;
    view.add(limit, now);
    return view;
  }

  private boolean hasInactive(ActiveLimits<WindowShape> activeLimits) {
    for (WindowState state = first; state != null; state = state.next) {
      if (!activeLimits.contains(state.shape)) {
        return true;
      }
    }
    return false;
  }

  /** The amount that counts against {@code limit}. */
  long used(WindowLimit limit, long now) {
    WindowState own = own(limit);
    return own == null ? used(now) : own.window.used(now);
  }

  /** The largest count in any window. */
  private long used(long now) {
    long used = 0;
    for (WindowState state = first; state != null; state = state.next) {
      used = Math.max(used, state.window.used(now));
    }
    return used;
  }

  boolean isUnused(long now) {
    return used(now) == 0;
  }

  /** The largest fraction of a limit that is used in any window. */
  double usedShare(long now) {
    double share = 0;
    for (WindowState state = first; state != null; state = state.next) {
      share = Math.max(share, (double) state.window.used(now) / state.maxLimit);
    }
    return share;
  }

  /** Whether less than {@code token} is left in any window, under the smallest of its limits. */
  boolean isSpent(long now, long token) {
    for (WindowState state = first; state != null; state = state.next) {
      if (state.minLimit - state.window.used(now) < Math.min(token, state.minLimit)) {
        return true;
      }
    }
    return false;
  }

  /** The largest count in any window, up to its limit, in thousandths of a token. */
  long forgiven(long now) {
    long used = 0;
    for (WindowState state = first; state != null; state = state.next) {
      used = Math.max(used, Math.min(state.window.used(now), state.maxLimit));
    }
    return used;
  }

  /** Ticks until {@code cost} fits under {@code limit}. */
  long waitFor(WindowLimit limit, long now, long cost) {
    WindowState own = own(limit);
    if (own != null) {
      return own.window.waitFor(now, cost, limit.burstThousandths());
    }
    long max = 0;
    for (WindowState state = first; state != null; state = state.next) {
      max = Math.max(max, state.window.waitFor(now, cost, limit.burstThousandths()));
    }
    return max;
  }

  /** Ticks until nothing counts against {@code limit} any more. */
  long resetAfter(WindowLimit limit, long now) {
    WindowState own = own(limit);
    return own == null ? resetAfter(now) : own.window.resetAfter(now);
  }

  /** Ticks until nothing counts in any window. */
  long resetAfter(long now) {
    long max = 0;
    for (WindowState state = first; state != null; state = state.next) {
      max = Math.max(max, state.window.resetAfter(now));
    }
    return max;
  }

  /** Counts a cost that {@code limit} granted. */
  void take(WindowLimit limit, long now, long cost) {
    if (isUnused(now)) {
      first = null;
      denied = false;
    }
    WindowState own = find(limit);
    if (own == null) {
      own = add(limit, now);
    } else if (own.maxLimit < limit.burstThousandths()) {
      own.raise(limit, now, used(now));
    }
    long longest = longest();
    for (WindowState state = first; state != null; state = state.next) {
      if (state == own) {
        state.count(now, cost);
      } else {
        state.countForeign(now, cost, state.shape.endsWith(own.shape) ? 0 : longest);
      }
    }
  }

  private long longest() {
    long longest = 0;
    for (WindowState state = first; state != null; state = state.next) {
      longest = Math.max(longest, state.window.length());
    }
    return longest;
  }

  /**
   * Adds a limit, which starts with the count of another limit of the same window, or else with the
   * largest count of the others.
   */
  private WindowState add(WindowLimit limit, long now) {
    WindowState own = new WindowState(limit, first);
    boolean isComplete = false;
    for (WindowState state = first; state != null; state = state.next) {
      isComplete |= own.window.continueFrom(state.window, now);
    }
    if (!isComplete) {
      own.raise(limit, now, used(now));
    }
    first = own;
    return own;
  }

  /** Whether a grant under {@code limit} would add a window to others that are in use. */
  boolean needsNewWindow(WindowLimit limit, long now) {
    return first != null && find(limit) == null && !isUnused(now);
  }

  /** The additional weight if every window gets room for another entry. */
  int neededWeight(long now) {
    int needed = 0;
    for (WindowState state = first; state != null; state = state.next) {
      if (state.window.isFull(now)) {
        needed += state.window.grownWeight() - state.window.weight();
      }
    }
    return needed;
  }

  /** Makes room for another entry in every window. */
  void grow(long now) {
    for (WindowState state = first; state != null; state = state.next) {
      if (state.window.isFull(now)) {
        state.window.grow();
      }
    }
  }

  /** Memory use, as a multiple of that of a single counter window. */
  int currentWeight() {
    int weight = 0;
    for (WindowState state = first; state != null; state = state.next) {
      weight += state.window.weight();
    }
    return Math.max(1, weight);
  }

  private @Nullable WindowState find(WindowLimit limit) {
    for (WindowState state = first; state != null; state = state.next) {
      if (state.shape.isOf(limit)) {
        return state;
      }
    }
    return null;
  }

  /** Returns the state of a limit that has granted something. */
  private @Nullable WindowState own(WindowLimit limit) {
    WindowState state = find(limit);
    return state == null || state.maxLimit < limit.burstThousandths() ? null : state;
  }
}
