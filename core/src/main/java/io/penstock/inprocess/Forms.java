package io.penstock.inprocess;

import io.penstock.algorithm.Bucket;
import io.penstock.algorithm.Pace;
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
final class Forms {
  private final List<Form> forms = new ArrayList<>(2);
  private boolean dropped;

  private static final class Form {
    private final Pace pace;
    private Bucket bucket;

    Form(Pace pace, Bucket bucket) {
      this.pace = pace;
      this.bucket = bucket;
    }
  }

  Forms(Pace pace, Bucket bucket) {
    forms.add(new Form(pace, bucket));
  }

  /** Whether the bucket was given up: its key has another place, or none. */
  boolean isDropped() {
    return dropped;
  }

  void drop() {
    dropped = true;
  }

  /** What is missing under {@code pace}, in its units. */
  long debt(Pace pace, long now, long reach) {
    Form own = find(pace);
    return own == null ? carried(pace, now, reach) : own.bucket.debt(pace, now, reach);
  }

  /**
   * Adds a form under {@code pace} if there is none, and drops those whose limit is not active any
   * more. A bucket that is full under all limits starts over.
   */
  void settle(Pace pace, long now, long reach, InForce<Pace> inForce) {
    if (isFull(now, reach)) {
      forms.clear();
    }
    if (find(pace) == null) {
      forms.add(new Form(pace, Bucket.owing(pace, now, carried(pace, now, reach))));
    }
    for (int i = forms.size() - 1; i >= 0; i--) {
      Form form = forms.get(i);
      if (!form.pace.equals(pace) && !inForce.has(form.pace)) {
        forms.remove(i);
      }
    }
  }

  /** Stores the debt under {@code pace} where the clock made it impossible. */
  void clamp(Pace pace, long now, long reach) {
    Form own = find(pace);
    if (own != null) {
      long debt = own.bucket.debt(pace, now, reach);
      if (debt < own.bucket.debt(pace, now, Long.MAX_VALUE)) {
        own.bucket = Bucket.owing(pace, now, debt);
      }
    }
  }

  /** Sets the debt under {@code pace}, and moves all others by {@code thousandths}. */
  void move(Pace pace, long now, long debt, long thousandths, long reach) {
    for (Form form : forms) {
      long next = debt;
      if (!form.pace.equals(pace)) {
        long before = form.bucket.debt(form.pace, now, reach);
        next =
            thousandths < 0
                ? Math.max(0, before - form.pace.units(-thousandths))
                : Math.max(
                    before, Math.min(before + form.pace.units(thousandths), form.pace.burst()));
      }
      form.bucket = Bucket.owing(form.pace, now, next);
    }
  }

  /** Makes the bucket full under all limits. */
  void fill(long now) {
    for (Form form : forms) {
      form.bucket = Bucket.full(now);
    }
  }

  boolean isFull(long now, long reach) {
    for (Form form : forms) {
      if (form.bucket.debt(form.pace, now, reach) > 0) {
        return false;
      }
    }
    return true;
  }

  /** Ticks until the bucket is full under all limits. */
  long busyTicks(long now, long reach) {
    long longest = 0;
    for (Form form : forms) {
      longest = Math.max(longest, form.pace.ticks(form.bucket.debt(form.pace, now, reach)));
    }
    return longest;
  }

  /** The largest share of a burst that is missing under any limit. */
  double missingShare(long now, long reach) {
    double share = 0;
    for (Form form : forms) {
      double owed = form.bucket.debt(form.pace, now, reach);
      share = Math.max(share, owed / form.pace.burst());
    }
    return share;
  }

  /** Whether less than a token is left under any limit. */
  boolean isSpent(long now, long reach) {
    for (Form form : forms) {
      if (Victim.isSpent(form.pace, form.bucket.debt(form.pace, now, reach))) {
        return true;
      }
    }
    return false;
  }

  /** What is missing under the limit under which it is most, in thousandths of a token. */
  long missingThousandths(long now, long reach) {
    long missing = 0;
    for (Form form : forms) {
      long owed = form.bucket.debt(form.pace, now, reach);
      missing = Math.max(missing, owed / form.pace.unitsPerThousandth());
    }
    return missing;
  }

  private long carried(Pace pace, long now, long reach) {
    long most = 0;
    for (Form form : forms) {
      most = Math.max(most, pace.carry(form.pace, form.bucket.debt(form.pace, now, reach)));
    }
    return Math.min(most, pace.burst());
  }

  private @Nullable Form find(Pace pace) {
    for (Form form : forms) {
      if (form.pace.equals(pace)) {
        return form;
      }
    }
    return null;
  }
}
