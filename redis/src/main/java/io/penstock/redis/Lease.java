package io.penstock.redis;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Tokens of one bucket that this node has taken in advance, in thousandths. Thread-safe.
 *
 * <p>What is here is missing at the store until the lease ends there, and that is later than here:
 * here it is counted from before the store was asked. Tokens are taken first and the clock is read
 * afterwards, so that a thread which was held up in between takes nothing from a lease that is
 * over.
 *
 * <p>One call is under way at a time. It tells the store all that is still here, which what is
 * taken meanwhile only makes less. If its answer is lost, nothing changes here, and the next says
 * it again under a higher number; a call that comes after a later one is refused.
 */
final class Lease {
  static final long LENGTH_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** For so long what is asked for should last. */
  private static final long AHEAD_NANOS = LENGTH_NANOS / 4;

  /** How much more than last time is asked for at most, and for how many requests at first. */
  private static final int GROWTH = 4;

  private final LongSupplier nanos;
  private final LongSupplier numbers;
  private final long most;
  private volatile LeaseGrant term;
  private volatile boolean calling;

  // All below is guarded by this.
  private boolean ended;
  private long target;
  private long grain;
  private long askedNanos;

  /** What several limits together may yet leave or put back. */
  private long pledged;

  /** How often what was here has been given up: what was pledged before can't be put back. */
  private int lineage;

  /** What the store counts as out. */
  private long out;

  private long outOfAll;

  /** What has passed through here until the term in force. */
  private long passed;

  /** For {@link #look}. */
  private LeaseGrant seenTerm;

  private long seenLeft;
  private int idleLooks;

  /**
   * What the store is told.
   *
   * @param number higher than those of all calls before
   * @param keep what is still here, at most
   * @param back what was here and is given up
   * @param want how much more would be good to have
   * @param grain of what it should be a multiple
   * @param sentNanos before it was sent
   * @param expired whether what comes back is what a term left when it was over
   * @param last whether nothing is held any more
   */
  record Call(
      long number,
      long keep,
      long back,
      long want,
      long grain,
      long sentNanos,
      boolean expired,
      boolean last) {}

  /**
   * What the store answers.
   *
   * @param granted on top of what was kept; negative if a later call has come before
   * @param kept what is still out of what the call kept
   * @param outOfAll what all holders together have
   * @param level what is left in the bucket
   * @param resetNanos how long it takes to be full
   */
  record Reply(long granted, long kept, long outOfAll, long level, long resetNanos) {}

  /** Tokens that were taken and may be put back. */
  record Pledge(LeaseGrant term, long thousandths, int lineage) {}

  /**
   * @param nanos the clock by which it ends
   * @param numbers gives calls of this bucket their numbers, each higher than all before
   * @param most how much may be here
   */
  Lease(LongSupplier nanos, LongSupplier numbers, long most) {
    this.nanos = nanos;
    this.numbers = numbers;
    this.most = most;
    this.askedNanos = nanos.getAsLong();
    this.term = LeaseGrant.none(askedNanos);
    this.seenTerm = term;
  }

  /** Takes so much if it is here; null if it is not. */
  @Nullable LeaseGrant take(long thousandths) {
    while (true) {
      LeaseGrant now = term;
      if (now.take(thousandths)) {
        return now.isOver(nanos.getAsLong()) ? null : now;
      }
      if (isStill(now)) {
        return null;
      }
    }
  }

  @SuppressWarnings("ReferenceEquality")
  private boolean isStill(LeaseGrant now) {
    return term == now;
  }

  /** How much could be taken. */
  long left() {
    LeaseGrant now = term;
    return now.isOver(nanos.getAsLong()) ? 0 : now.left();
  }

  LeaseGrant term() {
    return term;
  }

  /** As {@link #take}, for who may have to put it back. */
  synchronized @Nullable Pledge pledge(long thousandths) {
    // Under the lock no call is made, which would not know of what is in between.
    LeaseGrant from = take(thousandths);
    if (from == null) {
      return null;
    }
    pledged += thousandths;
    return new Pledge(from, thousandths, lineage);
  }

  /** What was pledged is spent. */
  synchronized void spend(Pledge pledge) {
    if (pledge.lineage == lineage) {
      pledged -= pledge.thousandths;
    }
  }

  /** What was pledged is here again, unless what it came from was given up meanwhile. */
  synchronized void putBack(Pledge pledge) {
    if (pledge.lineage == lineage) {
      pledged -= pledge.thousandths;
      term.add(pledge.thousandths);
    }
  }

  /** Whether a call is under way. */
  boolean isCalling() {
    return calling;
  }

  /**
   * What to tell the store now; null if a call is under way, or nothing is left to be said.
   *
   * @param request what a request needs; 0 for what one needed last
   */
  synchronized @Nullable Call call(long request) {
    if (calling || (ended && out == 0)) {
      return null;
    }
    grain = Math.max(1, request > 0 ? request : grain);
    long sent = nanos.getAsLong();
    LeaseGrant now = term;
    long left = now.left();
    boolean starved = left < request;
    long wanted = ended ? 0 : target(sent, now.amount() - left - pledged, starved);
    boolean over = now.isOver(sent);
    long back;
    if (over || ended) {
      back = now.drain();
      giveUp();
    } else if (starved) {
      // No use as a part of what a request needs, and it would count against this node's share.
      back = now.drain();
    } else {
      long surplus = left - 2 * wanted;
      back = surplus > 0 && now.take(surplus) ? surplus : 0;
    }
    // Read last: what is here becomes less, never more, while nobody else has the lock.
    long keep = over || ended ? 0 : now.left() + pledged;
    long want = ended ? 0 : Math.max(starved ? grain : 0, wanted - keep);
    calling = true;
    askedNanos = sent;
    return new Call(numbers.getAsLong(), keep, back, want, grain, sent, over, ended);
  }

  private void giveUp() {
    pledged = 0;
    lineage++;
  }

  /**
   * How much should be here, by how much was spent since the last call.
   *
   * @param starved if that was too little, so that more would have been spent
   */
  private long target(long sent, long spent, boolean starved) {
    double ahead = (double) AHEAD_NANOS / Math.max(1, sent - askedNanos);
    long needed = (long) Math.min((double) most, (double) Math.max(0, spent) * ahead);
    long least = Math.max(GROWTH * grain, starved ? 2 * target : target / 2);
    target = Math.min(most, Math.max(least, Math.min(needed, GROWTH * target)));
    return target;
  }

  /** The store has answered; returns whether the call counted. */
  synchronized boolean answered(Call call, Reply reply) {
    calling = false;
    if (reply.granted < 0) {
      return false;
    }
    LeaseGrant old = term;
    passed += Math.max(0, old.amount() - old.left() - call.back);
    long ends = call.sentNanos + LENGTH_NANOS;
    boolean kept = reply.kept >= call.keep;
    long moved = kept ? old.left() : 0;
    LeaseGrant next =
        new LeaseGrant(moved + reply.granted, reply.granted, ends, reply.level, reply.resetNanos);
    // The new one first, so that nobody finds nothing here in between.
    term = next;
    long rest = old.drain();
    if (kept) {
      next.add(rest);
    } else {
      // The store has forgotten this lease, or believes it to be over.
      giveUp();
    }
    out = reply.kept + reply.granted;
    outOfAll = reply.outOfAll;
    return true;
  }

  /** The call has failed or its answer is lost: all that was here is here for as long as before. */
  synchronized void lost(Call call) {
    calling = false;
    if (call.last) {
      out = 0;
    }
  }

  /** Nothing more is taken from here; the next call gives everything back. */
  synchronized void end() {
    ended = true;
  }

  synchronized boolean isEnded() {
    return ended;
  }

  /** What the store counts as out for this holder. */
  synchronized long out() {
    return out;
  }

  /** What all holders have out, as the store said last. */
  synchronized long outOfAll() {
    return outOfAll;
  }

  /** What passed through here so far, and in how large pieces. */
  synchronized long requestsPassed() {
    LeaseGrant now = term;
    return grain == 0 ? 0 : (passed + Math.max(0, now.amount() - now.left())) / grain;
  }

  /** What is to be done with a lease that is looked at from time to time. */
  enum Care {
    NONE,
    RENEW,
    END
  }

  /**
   * Looks after it: unused since {@code looks} looks ago it should end, and at half of its time it
   * should be renewed.
   */
  @SuppressWarnings("ReferenceEquality")
  synchronized Care look(int looks) {
    LeaseGrant now = term;
    long left = now.left();
    boolean used = now != seenTerm || left != seenLeft || pledged > 0;
    seenTerm = now;
    seenLeft = left;
    idleLooks = used ? 0 : idleLooks + 1;
    if (calling) {
      return Care.NONE;
    }
    if (idleLooks >= looks) {
      return Care.END;
    }
    boolean old = nanos.getAsLong() - now.endsNanos() + LENGTH_NANOS / 2 >= 0;
    return old && out > 0 ? Care.RENEW : Care.NONE;
  }
}
