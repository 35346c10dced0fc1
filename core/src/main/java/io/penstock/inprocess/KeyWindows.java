package io.penstock.inprocess;

import io.penstock.WindowLimit;
import io.penstock.algorithm.Window;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What is counted for one key, by each window that it is asked under. Guarded by the {@link
 * KeyLock} of the key.
 *
 * <p>Every grant counts in all windows, so none grants more than it would alone, whatever the order
 * in which they are asked. What another window grants counts up to the limit at most. A window that
 * is asked for the first time goes by what the others count, until it grants something itself.
 */
final class KeyWindows {
  private static final long TICK_NANOS = 1;

  /** What tells windows apart: limits of the same kind and length share a count. */
  record WindowShape(WindowLimit.Counting kind, Duration length) {
    static WindowShape of(WindowLimit limit) {
      return new WindowShape(limit.kind(), limit.window());
    }
  }

  private static final class WindowState {
    private final WindowShape shape;
    private final Window window;
    private final @Nullable WindowState next;

    /** The largest and the smallest limit that it was asked under. */
    private long most;

    private long least;

    WindowState(WindowLimit limit, @Nullable WindowState next) {
      this.shape = WindowShape.of(limit);
      this.window = Window.of(limit, TICK_NANOS);
      this.next = next;
      this.most = limit.burstThousandths();
      this.least = most;
    }

    private boolean isOf(WindowLimit limit) {
      return shape.kind() == limit.kind() && shape.length().equals(limit.window());
    }
  }

  /** Null of a cell that nothing was counted in yet. */
  private @Nullable WindowState first;

  /** Memory that the store's budget has counted for it. */
  int weight = 1;

  /** Whether it was given up: its key has another cell, or none. */
  boolean retired;

  /** Whether a request was denied since something was first counted. */
  boolean denied;

  /** Whether a request is making room for it, so that it must not be given up. */
  boolean growing;

  /**
   * Brings the cell up to date for a request under {@code limit}. Goes by that limit alone from now
   * on, if no other limit that counts here is active.
   */
  void advance(WindowLimit limit, long now, ActiveLimits<WindowShape> activeLimits) {
    for (WindowState form = first; form != null; form = form.next) {
      form.window.advance(now);
    }
    WindowState own = find(limit);
    if (own != null) {
      own.most = Math.max(own.most, limit.burstThousandths());
      own.least = Math.min(own.least, limit.burstThousandths());
    } else if (first != null && !hasAnyOf(activeLimits)) {
      first = adopted(limit, now).first;
    }
  }

  /** What a request under {@code limit} would find; changes nothing. */
  KeyWindows seen(WindowLimit limit, long now, ActiveLimits<WindowShape> activeLimits) {
    boolean adopts = first != null && find(limit) == null && !hasAnyOf(activeLimits);
    return adopts ? adopted(limit, now) : this;
  }

  /** A cell that counts under {@code limit} what counts here now. */
  private KeyWindows adopted(WindowLimit limit, long now) {
    KeyWindows cell = new KeyWindows();
    cell.add(limit, now, Math.min(used(now), limit.burstThousandths()));
    return cell;
  }

  private boolean hasAnyOf(ActiveLimits<WindowShape> activeLimits) {
    for (WindowState form = first; form != null; form = form.next) {
      if (activeLimits.has(form.shape)) {
        return true;
      }
    }
    return false;
  }

  /** What counts against {@code limit}. */
  long used(WindowLimit limit, long now) {
    WindowState own = find(limit);
    return own == null ? used(now) : own.window.used(now);
  }

  /** The most that counts in any window. */
  private long used(long now) {
    long used = 0;
    for (WindowState form = first; form != null; form = form.next) {
      used = Math.max(used, form.window.used(now));
    }
    return used;
  }

  boolean isUnused(long now) {
    return used(now) == 0;
  }

  /** The largest share of a limit that is used in any window. */
  double usedShare(long now) {
    double share = 0;
    for (WindowState form = first; form != null; form = form.next) {
      share = Math.max(share, (double) form.window.used(now) / form.most);
    }
    return share;
  }

  /** Whether less than {@code token} is left in any window, under the smallest of its limits. */
  boolean isSpent(long now, long token) {
    for (WindowState form = first; form != null; form = form.next) {
      if (form.least - form.window.used(now) < Math.min(token, form.least)) {
        return true;
      }
    }
    return false;
  }

  /** The most that is used in any window, in thousandths of a token. */
  long forgiven(long now) {
    return used(now);
  }

  /** Ticks until {@code cost} fits under {@code limit}. */
  long waitFor(WindowLimit limit, long now, long cost) {
    WindowState own = find(limit);
    if (own != null) {
      return own.window.waitFor(now, cost, limit.burstThousandths());
    }
    long longest = 0;
    for (WindowState form = first; form != null; form = form.next) {
      longest = Math.max(longest, form.window.waitFor(now, cost, limit.burstThousandths()));
    }
    return longest;
  }

  /** Ticks until nothing counts against {@code limit} any more. */
  long resetAfter(WindowLimit limit, long now) {
    WindowState own = find(limit);
    return own == null ? resetAfter(now) : own.window.resetAfter(now);
  }

  /** Ticks until nothing counts in any window. */
  long resetAfter(long now) {
    long longest = 0;
    for (WindowState form = first; form != null; form = form.next) {
      longest = Math.max(longest, form.window.resetAfter(now));
    }
    return longest;
  }

  /** Counts what {@code limit} granted. */
  void take(WindowLimit limit, long now, long cost) {
    if (isUnused(now)) {
      first = null;
      denied = false;
    }
    WindowState own = find(limit);
    if (own == null) {
      own = add(limit, now, Math.min(used(now), limit.burstThousandths()));
    }
    for (WindowState form = first; form != null; form = form.next) {
      long counted =
          form == own ? cost : Math.min(cost, Math.max(0, form.most - form.window.used(now)));
      if (counted > 0) {
        if (form.window.isFull(now)) {
          form.window.coarsen();
        }
        form.window.add(now, counted);
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

  /** Whether a grant under {@code limit} adds a window to others that count something. */
  boolean lacks(WindowLimit limit, long now) {
    return first != null && find(limit) == null && !isUnused(now);
  }

  /** By how much the weight grows if every window gets room for another entry. */
  int neededWeight(long now) {
    int needed = 0;
    for (WindowState form = first; form != null; form = form.next) {
      if (form.window.isFull(now)) {
        needed += form.window.grownWeight() - form.window.weight();
      }
    }
    return needed;
  }

  /** Gets room for another entry in every window. */
  void grow(long now) {
    for (WindowState form = first; form != null; form = form.next) {
      if (form.window.isFull(now)) {
        form.window.grow();
      }
    }
  }

  /** Memory held, as a multiple of what a cell takes that keeps one count. */
  int currentWeight() {
    int weight = 0;
    for (WindowState form = first; form != null; form = form.next) {
      weight += form.window.weight();
    }
    return Math.max(1, weight);
  }

  private @Nullable WindowState find(WindowLimit limit) {
    for (WindowState form = first; form != null; form = form.next) {
      if (form.isOf(limit)) {
        return form;
      }
    }
    return null;
  }
}
