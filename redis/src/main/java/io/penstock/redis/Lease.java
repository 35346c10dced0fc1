package io.penstock.redis;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Tokens of one bucket that this node has taken in advance, in thousandths. Thread-safe.
 *
 * <p>Leased tokens are missing at the store until the lease expires there, which is later than
 * here: the node counts the lifetime from before it sent the call. Tokens are taken before the
 * clock is read, so that a delayed thread takes nothing from an expired lease.
 *
 * <p>One call is in flight at a time. It reports everything that the node still holds; requests can
 * only decrease that in the meantime. If the response is lost, nothing changes here, and the next
 * call reports again with a higher number. The store rejects a call that arrives after a later one.
 */
final class Lease {
  static final long LENGTH_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** A call requests enough tokens for this time at the current rate of use. */
  private static final long AHEAD_NANOS = LENGTH_NANOS / 4;

  /** Maximum growth of the amount per call, and the initial amount as a multiple of a request. */
  private static final int GROWTH = 4;

  private final LongSupplier nanos;
  private final LongSupplier numbers;
  private final long max;
  private volatile LeaseGrant grant;
  private volatile boolean calling;

  // All fields below are guarded by this.
  private boolean ended;
  private long target;
  private long grain;
  private long lastCallNanos;

  /** Tokens taken by requests over several limits that may still release them. */
  private long reserved;

  /** Incremented whenever the held tokens are discarded, which voids earlier reservations. */
  private int epoch;

  /** The tokens that the store counts as leased by this node. */
  private long outstanding;

  private long totalOutstanding;

  /** Tokens granted from this lease before the current grant. */
  private long passed;

  /** The state at the last {@link #check}. */
  private LeaseGrant lastGrant;

  private long lastLeft;
  private int idleChecks;

  /**
   * A call to the store.
   *
   * @param number higher than the numbers of all earlier calls
   * @param keep upper bound of the tokens that the node still holds
   * @param back the tokens that the node returns
   * @param want how many more tokens the node requests
   * @param grain the granted amount should be a multiple of this
   * @param sentNanos a time before the call was sent
   * @param expired whether the returned tokens are left over from an expired grant
   * @param last whether the node no longer holds anything
   */
  record LeaseCall(
      long number,
      long keep,
      long back,
      long want,
      long grain,
      long sentNanos,
      boolean expired,
      boolean last) {}

  /**
   * The reply of the store.
   *
   * @param granted tokens granted in addition to what was kept; negative if the store has already
   *     seen a later call
   * @param kept how much of {@code keep} the store still counts as leased
   * @param totalOutstanding the tokens that all nodes together hold
   * @param level the tokens left in the bucket
   * @param resetNanos time until the bucket is full
   */
  record LeaseReply(long granted, long kept, long totalOutstanding, long level, long resetNanos) {}

  /** Tokens that a request over several limits has taken and may release. Thread-safe. */
  final class Reservation {
    private final LeaseGrant from;
    private final long thousandths;
    private final int reservedEpoch;

    private Reservation(LeaseGrant from, long thousandths, int reservedEpoch) {
      this.from = from;
      this.thousandths = thousandths;
      this.reservedEpoch = reservedEpoch;
    }

    LeaseGrant grant() {
      return from;
    }

    /** Makes the reservation final. */
    void commit() {
      end(false);
    }

    /** Puts the tokens back, unless their lease was discarded in the meantime. */
    void release() {
      end(true);
    }

    private void end(boolean putBack) {
      if (thousandths > 0) {
        endReservation(this, putBack);
      }
    }
  }

  /**
   * @param nanos the clock for expiry
   * @param numbers generates increasing numbers for the calls of this bucket
   * @param max the maximum amount to hold
   */
  Lease(LongSupplier nanos, LongSupplier numbers, long max) {
    this.nanos = nanos;
    this.numbers = numbers;
    this.max = max;
    this.lastCallNanos = nanos.getAsLong();
    this.grant = LeaseGrant.none(lastCallNanos);
    this.lastGrant = grant;
  }

  /** Takes {@code thousandths} if they are available; otherwise returns null. */
  @Nullable LeaseGrant take(long thousandths) {
    while (true) {
      LeaseGrant now = grant;
      if (now.take(thousandths)) {
        return now.isExpired(nanos.getAsLong()) ? null : now;
      }
      if (isCurrent(now)) {
        return null;
      }
    }
  }

  @SuppressWarnings("ReferenceEquality")
  private boolean isCurrent(LeaseGrant now) {
    return grant == now;
  }

  /** The amount that is available. */
  long left() {
    LeaseGrant now = grant;
    return now.isExpired(nanos.getAsLong()) ? 0 : now.left();
  }

  LeaseGrant grant() {
    return grant;
  }

  /** Like {@link #take}, for a caller that may have to release the tokens. */
  synchronized @Nullable Reservation reserve(long thousandths) {
    // The lock excludes call(), which must not miss tokens that are in transit here.
    LeaseGrant from = take(thousandths);
    if (from == null) {
      return null;
    }
    reserved += thousandths;
    return new Reservation(from, thousandths, epoch);
  }

  /** Like {@link #reserve}, but takes nothing. */
  @Nullable Reservation peek(long thousandths) {
    return left() >= thousandths ? new Reservation(grant, 0, 0) : null;
  }

  private synchronized void endReservation(Reservation reservation, boolean putBack) {
    if (reservation.reservedEpoch == epoch) {
      reserved -= reservation.thousandths;
      if (putBack) {
        grant.add(reservation.thousandths);
      }
    }
  }

  /** Whether a call is in flight. */
  boolean isCalling() {
    return calling;
  }

  /**
   * Returns the next call to the store; null if one is in flight or there is nothing to report.
   *
   * @param cost the cost of the current request; 0 to use the last known cost
   */
  synchronized @Nullable LeaseCall call(long cost) {
    if (calling || (ended && outstanding == 0)) {
      return null;
    }
    grain = Math.max(1, cost > 0 ? cost : grain);
    long sent = nanos.getAsLong();
    LeaseGrant now = grant;
    long left = now.left();
    boolean starved = left < cost;
    long wanted = ended ? 0 : target(sent, now.amount() - left - reserved, starved);
    boolean over = now.isExpired(sent);
    long back;
    if (over || ended) {
      back = now.drain();
      giveUp();
    } else if (starved) {
      // Too little for a request, and it would count against this node's share.
      back = now.drain();
    } else {
      long surplus = left - 2 * wanted;
      back = surplus > 0 && now.take(surplus) ? surplus : 0;
    }
    // Read this last: while this thread has the lock, the amount can only decrease.
    long keep = over || ended ? 0 : now.left() + reserved;
    long want = ended ? 0 : Math.max(starved ? grain : 0, wanted - keep);
    calling = true;
    lastCallNanos = sent;
    return new LeaseCall(numbers.getAsLong(), keep, back, want, grain, sent, over, ended);
  }

  private void giveUp() {
    reserved = 0;
    epoch++;
  }

  /**
   * Computes how much the node should hold, based on what was used since the last call.
   *
   * @param starved whether that was too little, so that more would have been used
   */
  private long target(long sent, long spent, boolean starved) {
    double ahead = (double) AHEAD_NANOS / Math.max(1, sent - lastCallNanos);
    long needed = (long) Math.min((double) max, (double) Math.max(0, spent) * ahead);
    long minTarget = Math.max(GROWTH * grain, starved ? 2 * target : target / 2);
    target = Math.min(max, Math.max(minTarget, Math.min(needed, GROWTH * target)));
    return target;
  }

  /** Processes the reply of the store; returns whether the call was in time. */
  synchronized boolean answered(LeaseCall call, LeaseReply reply) {
    calling = false;
    if (reply.granted < 0) {
      return false;
    }
    LeaseGrant old = grant;
    passed += Math.max(0, old.amount() - old.left() - call.back);
    long ends = call.sentNanos + LENGTH_NANOS;
    boolean kept = reply.kept >= call.keep;
    long moved = kept ? old.left() : 0;
    LeaseGrant next =
        new LeaseGrant(moved + reply.granted, reply.granted, ends, reply.level, reply.resetNanos);
    // Publish the new grant first, so that no request finds the lease empty in between.
    grant = next;
    long rest = old.drain();
    if (kept) {
      next.add(rest);
    } else {
      // The store has dropped this lease, or considers it expired.
      giveUp();
    }
    outstanding = reply.kept + reply.granted;
    totalOutstanding = reply.totalOutstanding;
    return true;
  }

  /**
   * Called when the call failed or its response is lost. The current grant stays valid until it
   * expires.
   */
  synchronized void lost(LeaseCall call) {
    calling = false;
    if (call.last) {
      outstanding = 0;
    }
  }

  /** Stops taking tokens; the next call returns everything. */
  synchronized void end() {
    ended = true;
  }

  synchronized boolean isEnded() {
    return ended;
  }

  /** The tokens that the store counts as leased by this node. */
  synchronized long outstanding() {
    return outstanding;
  }

  /** The tokens that the store counts as leased by all nodes, as of the last reply. */
  synchronized long totalOutstanding() {
    return totalOutstanding;
  }

  /** The number of requests granted from this lease so far. */
  synchronized long requestsPassed() {
    LeaseGrant now = grant;
    return grain == 0 ? 0 : (passed + Math.max(0, now.amount() - now.left())) / grain;
  }

  /** The action that a periodic check of a lease requires. */
  enum LeaseAction {
    NONE,
    RENEW,
    END
  }

  /**
   * Checks the lease: it should end after {@code maxIdleChecks} checks without use, and be renewed
   * after half of its lifetime.
   */
  @SuppressWarnings("ReferenceEquality")
  synchronized LeaseAction check(int maxIdleChecks) {
    LeaseGrant now = grant;
    long left = now.left();
    boolean used = now != lastGrant || left != lastLeft || reserved > 0;
    lastGrant = now;
    lastLeft = left;
    idleChecks = used ? 0 : idleChecks + 1;
    if (calling) {
      return LeaseAction.NONE;
    }
    if (idleChecks >= maxIdleChecks) {
      return LeaseAction.END;
    }
    boolean old = nanos.getAsLong() - now.expiresNanos() + LENGTH_NANOS / 2 >= 0;
    return old && outstanding > 0 ? LeaseAction.RENEW : LeaseAction.NONE;
  }
}
