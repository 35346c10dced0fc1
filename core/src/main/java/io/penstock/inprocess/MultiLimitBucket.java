package io.penstock.inprocess;

import io.penstock.algorithm.Bucket;
import io.penstock.algorithm.FixedPointRate;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A bucket that is asked under several limits: what is missing under each. Guarded by the {@link
 * KeyLock} of its key.
 *
 * <p>Every grant is charged to all forms, so each limit sees everything that passed and its own
 * bound holds whatever the order in which the limits are asked. No form owes more than its burst
 * for what another limit granted. A form begins with what is missing under the others, at most its
 * burst. These are the rules of the Redis store as well.
 */
final class MultiLimitBucket {
  private final List<LimitState> forms = new ArrayList<>(2);
  private boolean dropped;

  private static final class LimitState {
    private final FixedPointRate fixedRate;
    private Bucket bucket;

    LimitState(FixedPointRate fixedRate, Bucket bucket) {
      this.fixedRate = fixedRate;
      this.bucket = bucket;
    }
  }

  MultiLimitBucket(FixedPointRate fixedRate, Bucket bucket) {
    forms.add(new LimitState(fixedRate, bucket));
  }

  /** Whether the bucket was given up: its key has another place, or none. */
  boolean isDropped() {
    return dropped;
  }

  void drop() {
    dropped = true;
  }

  /** What is missing under {@code fixedRate}, in its units. */
  long debt(FixedPointRate fixedRate, long now, long reach) {
    LimitState own = find(fixedRate);
    return own == null ? carried(fixedRate, now, reach) : own.bucket.debt(fixedRate, now, reach);
  }

  /**
   * Adds a form under {@code fixedRate} if there is none, and drops those whose limit is not active
   * any more. A bucket that is full under all limits starts over.
   */
  void settle(
      FixedPointRate fixedRate, long now, long reach, ActiveLimits<FixedPointRate> activeLimits) {
    if (isFull(now, reach)) {
      forms.clear();
    }
    if (find(fixedRate) == null) {
      forms.add(
          new LimitState(fixedRate, Bucket.owing(fixedRate, now, carried(fixedRate, now, reach))));
    }
    for (int i = forms.size() - 1; i >= 0; i--) {
      LimitState form = forms.get(i);
      if (!form.fixedRate.equals(fixedRate) && !activeLimits.has(form.fixedRate)) {
        forms.remove(i);
      }
    }
  }

  /** Stores the debt under {@code fixedRate} where the clock made it impossible. */
  void clamp(FixedPointRate fixedRate, long now, long reach) {
    LimitState own = find(fixedRate);
    if (own != null) {
      long debt = own.bucket.debt(fixedRate, now, reach);
      if (debt < own.bucket.debt(fixedRate, now, Long.MAX_VALUE)) {
        own.bucket = Bucket.owing(fixedRate, now, debt);
      }
    }
  }

  /** Sets the debt under {@code fixedRate}, and moves all others by {@code thousandths}. */
  void move(FixedPointRate fixedRate, long now, long debt, long thousandths, long reach) {
    for (LimitState form : forms) {
      long next = debt;
      if (!form.fixedRate.equals(fixedRate)) {
        long before = form.bucket.debt(form.fixedRate, now, reach);
        next =
            thousandths < 0
                ? Math.max(0, before - form.fixedRate.units(-thousandths))
                : Math.max(
                    before,
                    Math.min(before + form.fixedRate.units(thousandths), form.fixedRate.burst()));
      }
      form.bucket = Bucket.owing(form.fixedRate, now, next);
    }
  }

  /** Makes the bucket full under all limits. */
  void fill(long now) {
    for (LimitState form : forms) {
      form.bucket = Bucket.full(now);
    }
  }

  boolean isFull(long now, long reach) {
    for (LimitState form : forms) {
      if (form.bucket.debt(form.fixedRate, now, reach) > 0) {
        return false;
      }
    }
    return true;
  }

  /** Ticks until the bucket is full under all limits. */
  long busyTicks(long now, long reach) {
    long longest = 0;
    for (LimitState form : forms) {
      longest =
          Math.max(longest, form.fixedRate.ticks(form.bucket.debt(form.fixedRate, now, reach)));
    }
    return longest;
  }

  /** The largest share of a burst that is missing under any limit. */
  double missingShare(long now, long reach) {
    double share = 0;
    for (LimitState form : forms) {
      double owed = form.bucket.debt(form.fixedRate, now, reach);
      share = Math.max(share, owed / form.fixedRate.burst());
    }
    return share;
  }

  /** Whether less than a token is left under any limit. */
  boolean isSpent(long now, long reach) {
    for (LimitState form : forms) {
      if (VictimSearch.isSpent(form.fixedRate, form.bucket.debt(form.fixedRate, now, reach))) {
        return true;
      }
    }
    return false;
  }

  /** What is missing under the limit under which it is most, in thousandths of a token. */
  long missingThousandths(long now, long reach) {
    long missing = 0;
    for (LimitState form : forms) {
      long owed = form.bucket.debt(form.fixedRate, now, reach);
      missing = Math.max(missing, owed / form.fixedRate.unitsPerThousandth());
    }
    return missing;
  }

  private long carried(FixedPointRate fixedRate, long now, long reach) {
    long most = 0;
    for (LimitState form : forms) {
      most =
          Math.max(
              most, fixedRate.carry(form.fixedRate, form.bucket.debt(form.fixedRate, now, reach)));
    }
    return Math.min(most, fixedRate.burst());
  }

  private @Nullable LimitState find(FixedPointRate fixedRate) {
    for (LimitState form : forms) {
      if (form.fixedRate.equals(fixedRate)) {
        return form;
      }
    }
    return null;
  }
}
