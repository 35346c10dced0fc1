package io.penstock.inprocess;

import io.penstock.WindowLimit;
import io.penstock.algorithm.Window;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The counts of one key in each window that it is used under. Guarded by the {@link KeyLock} of the
 * key.
 *
 * <p>Every grant counts in all windows, so no window grants more than it would alone, in whatever
 * order they are used. Grants under another window count up to the limit of this one. A window that
 * is used for the first time applies the counts of the others until it grants something itself.
 */
final class KeyWindows {
  private static final long TICK_NANOS = 1;

  /** Identifies a window: limits with the same algorithm and length share a count. */
  record WindowShape(WindowLimit.Counting kind, Duration length) {
    static WindowShape of(WindowLimit limit) {
      return new WindowShape(limit.kind(), limit.window());
    }
  }

  private static final class WindowState {
    private final WindowShape shape;
    private final Window window;
    private final @Nullable WindowState next;

    /** The largest and the smallest limit that the window was used under. */
    private long maxLimit;

    private long minLimit;

    WindowState(WindowLimit limit, @Nullable WindowState next) {
      this.shape = WindowShape.of(limit);
      this.window = Window.of(limit, TICK_NANOS);
      this.next = next;
      this.maxLimit = limit.burstThousandths();
      this.minLimit = maxLimit;
    }

    private boolean isOf(WindowLimit limit) {
      return shape.kind() == limit.kind() && shape.length().equals(limit.window());
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
   * Updates the state for a request under {@code limit}. If none of the existing windows belongs to
   * an active limit, they are replaced by a window for {@code limit}.
   */
  void advance(WindowLimit limit, long now, ActiveLimits<WindowShape> activeLimits) {
    for (WindowState state = first; state != null; state = state.next) {
      state.window.advance(now);
    }
    WindowState own = find(limit);
    if (own != null) {
      own.maxLimit = Math.max(own.maxLimit, limit.burstThousandths());
      own.minLimit = Math.min(own.minLimit, limit.burstThousandths());
    } else if (first != null && !hasAnyOf(activeLimits)) {
      first = adopted(limit, now).first;
    }
  }

  /** Returns the state that a request under {@code limit} would see, without changing this one. */
  KeyWindows viewUnder(WindowLimit limit, long now, ActiveLimits<WindowShape> activeLimits) {
    boolean adopts = first != null && find(limit) == null && !hasAnyOf(activeLimits);
    return adopts ? adopted(limit, now) : this;
  }

  /** Returns a copy with a single window for {@code limit}, which starts with the current count. */
  private KeyWindows adopted(WindowLimit limit, long now) {
    KeyWindows cell = new KeyWindows();
    cell.add(limit, now, Math.min(used(now), limit.burstThousandths()));
    return cell;
  }

  private boolean hasAnyOf(ActiveLimits<WindowShape> activeLimits) {
    for (WindowState state = first; state != null; state = state.next) {
      if (activeLimits.contains(state.shape)) {
        return true;
      }
    }
    return false;
  }

  /** The amount that counts against {@code limit}. */
  long used(WindowLimit limit, long now) {
    WindowState own = find(limit);
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

  /** The largest count in any window, in thousandths of a token. */
  long forgiven(long now) {
    return used(now);
  }

  /** Ticks until {@code cost} fits under {@code limit}. */
  long waitFor(WindowLimit limit, long now, long cost) {
    WindowState own = find(limit);
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
    WindowState own = find(limit);
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
      own = add(limit, now, Math.min(used(now), limit.burstThousandths()));
    }
    for (WindowState state = first; state != null; state = state.next) {
      long counted =
          state == own
              ? cost
              : Math.min(cost, Math.max(0, state.maxLimit - state.window.used(now)));
      if (counted > 0) {
        if (state.window.isFull(now)) {
          state.window.coarsen();
        }
        state.window.add(now, counted);
      }
    }
  }

  private WindowState add(WindowLimit limit, long now, long used) {
    WindowState own = new WindowState(limit, first);
    first = own;
    if (used > 0) {
      own.window.add(now, used);
    }
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
      if (state.isOf(limit)) {
        return state;
      }
    }
    return null;
  }
}
