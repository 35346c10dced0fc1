package io.penstock.inprocess;

import io.penstock.algorithm.FixedPointRate;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A bucket that is used under several limits, with its debt under each. Guarded by the {@link
 * KeyLock} of its key.
 *
 * <p>Every grant is charged under all limits, so each limit accounts for everything that passed,
 * and its own bound holds in whatever order the limits are used. Grants under another limit never
 * take the debt beyond the burst. A limit that is used for the first time starts with the missing
 * tokens of the others, up to its burst. The Redis store follows the same rules.
 */
final class MultiLimitBucket {
  private final List<LimitState> states = new ArrayList<>(2);
  private boolean dropped;

  private static final class LimitState {
    private final FixedPointRate fixedRate;
    private FullTime fullTime;

    LimitState(FixedPointRate fixedRate, FullTime fullTime) {
      this.fixedRate = fixedRate;
      this.fullTime = fullTime;
    }
  }

  MultiLimitBucket(FixedPointRate fixedRate, FullTime fullTime) {
    states.add(new LimitState(fixedRate, fullTime));
  }

  /** Whether the bucket was evicted or moved; its key has another slot, or none. */
  boolean isDropped() {
    return dropped;
  }

  void drop() {
    dropped = true;
  }

  /** The debt under {@code fixedRate}, in its units. */
  long debt(FixedPointRate fixedRate, long now, long reach) {
    LimitState own = find(fixedRate);
    return own == null ? carried(fixedRate, now, reach) : own.fullTime.debt(fixedRate, now, reach);
  }

  /**
   * Adds a state for {@code fixedRate} if there is none, and removes those whose limits are no
   * longer active. A bucket that is full under all limits starts over.
   */
  void updateLimits(
      FixedPointRate fixedRate, long now, long reach, ActiveLimits<FixedPointRate> activeLimits) {
    if (isFull(now, reach)) {
      states.clear();
    }
    if (find(fixedRate) == null) {
      states.add(
          new LimitState(
              fixedRate, FullTime.owing(fixedRate, now, carried(fixedRate, now, reach))));
    }
    for (int i = states.size() - 1; i >= 0; i--) {
      LimitState state = states.get(i);
      if (!state.fixedRate.equals(fixedRate) && !activeLimits.contains(state.fixedRate)) {
        states.remove(i);
      }
    }
  }

  /** Stores the clamped debt under {@code fixedRate} if the clock made it impossible. */
  void clamp(FixedPointRate fixedRate, long now, long reach) {
    LimitState own = find(fixedRate);
    if (own != null) {
      long debt = own.fullTime.debt(fixedRate, now, reach);
      if (debt < own.fullTime.debt(fixedRate, now, Long.MAX_VALUE)) {
        own.fullTime = FullTime.owing(fixedRate, now, debt);
      }
    }
  }

  /**
   * Sets the debt under {@code fixedRate}, and changes the debts under all others by {@code
   * thousandths}.
   */
  void move(FixedPointRate fixedRate, long now, long debt, long thousandths, long reach) {
    for (LimitState state : states) {
      long next = debt;
      if (!state.fixedRate.equals(fixedRate)) {
        long before = state.fullTime.debt(state.fixedRate, now, reach);
        next =
            thousandths < 0
                ? Math.max(0, before - state.fixedRate.units(-thousandths))
                : Math.max(
                    before,
                    Math.min(before + state.fixedRate.units(thousandths), state.fixedRate.burst()));
      }
      state.fullTime = FullTime.owing(state.fixedRate, now, next);
    }
  }

  /** Fills the bucket under all limits. */
  void fill(long now) {
    for (LimitState state : states) {
      state.fullTime = new FullTime(now, 0);
    }
  }

  boolean isFull(long now, long reach) {
    for (LimitState state : states) {
      if (state.fullTime.debt(state.fixedRate, now, reach) > 0) {
        return false;
      }
    }
    return true;
  }

  /** Ticks until the bucket is full under all limits. */
  long busyTicks(long now, long reach) {
    long max = 0;
    for (LimitState state : states) {
      max = Math.max(max, state.fixedRate.ticks(state.fullTime.debt(state.fixedRate, now, reach)));
    }
    return max;
  }

  /** The largest fraction of a burst that is missing under any limit. */
  double missingShare(long now, long reach) {
    double share = 0;
    for (LimitState state : states) {
      double debt = state.fullTime.debt(state.fixedRate, now, reach);
      share = Math.max(share, debt / state.fixedRate.burst());
    }
    return share;
  }

  /** Whether less than a token is left under any limit. */
  boolean isSpent(long now, long reach) {
    for (LimitState state : states) {
      if (VictimSearch.isSpent(state.fixedRate, state.fullTime.debt(state.fixedRate, now, reach))) {
        return true;
      }
    }
    return false;
  }

  /** The largest number of missing thousandths under any limit. */
  long missingThousandths(long now, long reach) {
    long missing = 0;
    for (LimitState state : states) {
      long debt = state.fullTime.debt(state.fixedRate, now, reach);
      missing = Math.max(missing, debt / state.fixedRate.unitsPerThousandth());
    }
    return missing;
  }

  private long carried(FixedPointRate fixedRate, long now, long reach) {
    long max = 0;
    for (LimitState state : states) {
      max =
          Math.max(
              max,
              fixedRate.carry(state.fixedRate, state.fullTime.debt(state.fixedRate, now, reach)));
    }
    return Math.min(max, fixedRate.burst());
  }

  private @Nullable LimitState find(FixedPointRate fixedRate) {
    for (LimitState state : states) {
      if (state.fixedRate.equals(fixedRate)) {
        return state;
      }
    }
    return null;
  }
}
