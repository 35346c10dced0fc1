package io.penstock.inprocess;

import io.penstock.Buckets;
import io.penstock.Claim;
import io.penstock.Decision;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * One request over several buckets. It takes the locks of their keys in the order of {@link
 * KeyLock}, holds and evaluates all buckets, and takes from all or none. Used by one thread at a
 * time; a {@link TransactionPool} lends it, so that a request allocates nothing.
 */
final class Transaction {
  /** How often a bucket is prepared before the request pins all of its buckets. */
  private static final int UNPINNED_ATTEMPTS = 4;

  /** The buckets in the order of the claims. */
  private HeldBucket[] claimed = new HeldBucket[0];

  /** The same buckets in the order in which their locks are taken. */
  private HeldBucket[] ordered = new HeldBucket[0];

  private int size;

  /** The number of buckets of {@link #ordered} whose locks are taken. */
  private int locked;

  /**
   * Evaluates whether everything that is claimed can be taken, and takes it if {@code take} is set.
   */
  boolean run(boolean take) {
    for (int i = 0; i < size; i++) {
      ordered[i].readOnly = !take || ordered[i].cost == 0;
    }
    HeldBucket unready = attemptLocked(take);
    if (unready != null) {
      prepareAll(unready, take);
    }
    return allAllowed();
  }

  /** Prepares buckets that are not ready until the request is decided. */
  private void prepareAll(HeldBucket first, boolean take) {
    HeldBucket unready = first;
    boolean pinned = false;
    try {
      while (unready != null) {
        unready.attempts++;
        if (!pinned && unready.attempts > UNPINNED_ATTEMPTS) {
          Pins.pin(ordered, size);
          pinned = true;
        }
        unready.buckets.prepare(unready);
        unready = attemptLocked(take);
      }
    } finally {
      if (pinned) {
        Pins.unpin();
      }
      for (int i = 0; i < size; i++) {
        ordered[i].buckets.giveBackRoom(ordered[i]);
      }
    }
  }

  private @Nullable HeldBucket attemptLocked(boolean take) {
    try {
      lockAll();
      return attempt(take);
    } finally {
      unlockAll();
    }
  }

  /** Decides under the locks; returns a bucket that has to be prepared first, or null. */
  private @Nullable HeldBucket attempt(boolean take) {
    boolean passes = false;
    try {
      HeldBucket unready = holdAll();
      if (unready == null) {
        unready = evaluateAll();
      }
      passes = unready == null && allAllowed();
      return unready;
    } finally {
      releaseAll(passes && take);
    }
  }

  /** Takes each lock once. Nothing is held yet, so blocking is safe. */
  private void lockAll() {
    for (locked = 0; locked < size; locked++) {
      if (isFirstOfItsLock(locked)) {
        KeyLock.at(ordered[locked].lock).lock();
      }
    }
  }

  private void unlockAll() {
    while (locked > 0) {
      locked--;
      if (isFirstOfItsLock(locked)) {
        KeyLock.at(ordered[locked].lock).unlock();
      }
    }
  }

  private boolean isFirstOfItsLock(int i) {
    return i == 0 || ordered[i - 1].lock != ordered[i].lock;
  }

  /** The result of the last request; {@code passes} is what {@link #run} returned. */
  Decision decision(boolean passes) {
    Decision[] parts = new Decision[size];
    for (int i = 0; i < size; i++) {
      parts[i] = claimed[i].buckets.decision(claimed[i], passes);
    }
    return size == 1 ? parts[0] : Decision.all(parts);
  }

  /** Adds the results of the buckets for the last request. */
  void addDecisions(boolean passes, List<Decision> decisions) {
    for (int i = 0; i < size; i++) {
      decisions.add(claimed[i].buckets.decision(claimed[i], passes));
    }
  }

  void fill(List<Claim> claims) {
    reserve(claims.size());
    for (int i = 0; i < claims.size(); i++) {
      Claim claim = claims.get(i);
      add(inProcess(claim.buckets()), claim.key(), claim.costThousandths(), claim.maxDelayNanos());
    }
  }

  void fill(InProcessBuckets buckets, String key, long cost, long maxDelayNanos) {
    reserve(1);
    add(buckets, key, cost, maxDelayNanos);
  }

  private void reserve(int claims) {
    size = 0;
    if (claims > claimed.length) {
      claimed = Arrays.copyOf(claimed, claims);
      ordered = new HeldBucket[claims];
    }
  }

  private static InProcessBuckets inProcess(Buckets buckets) {
    if (buckets instanceof InProcessBuckets own) {
      return own;
    }
    throw new IllegalArgumentException("claims must be on an in-process store: " + buckets);
  }

  private void add(InProcessBuckets buckets, String key, long cost, long maxDelayNanos) {
    HeldBucket hold = claimed[size];
    if (hold == null) {
      hold = new HeldBucket(buckets, key);
      claimed[size] = hold;
    }
    hold.buckets = buckets;
    hold.key = key;
    hold.cost = cost;
    hold.maxDelayNanos = maxDelayNanos;
    hold.attempts = 0;
    hold.coarse = false;
    hold.held = false;
    hold.absent = false;
    buckets.identify(hold);
    int at = size++;
    for (; at > 0 && ordered[at - 1].compareTo(hold) >= 0; at--) {
      if (ordered[at - 1].isSameBucketAs(hold)) {
        throw new IllegalArgumentException("a bucket can be claimed only once: " + buckets.name);
      }
      ordered[at] = ordered[at - 1];
    }
    ordered[at] = hold;
  }

  private @Nullable HeldBucket holdAll() {
    for (int i = 0; i < size; i++) {
      HeldBucket hold = ordered[i];
      hold.held = hold.buckets.hold(hold);
      if (!hold.held) {
        return hold;
      }
    }
    return null;
  }

  private @Nullable HeldBucket evaluateAll() {
    for (int i = 0; i < size; i++) {
      if (!ordered[i].buckets.evaluate(ordered[i])) {
        return ordered[i];
      }
    }
    return null;
  }

  private boolean allAllowed() {
    for (int i = 0; i < size; i++) {
      if (!ordered[i].allowed) {
        return false;
      }
    }
    return true;
  }

  private void releaseAll(boolean taken) {
    for (int i = 0; i < size; i++) {
      if (ordered[i].held) {
        ordered[i].buckets.release(ordered[i], taken);
        ordered[i].held = false;
      }
    }
  }

  /**
   * A pool of idle transactions. Thread-safe. If it has none for a caller, it creates a new one.
   */
  static final class TransactionPool {
    private static final int SIZE = 64;

    private final AtomicReferenceArray<@Nullable Transaction> idle =
        new AtomicReferenceArray<>(SIZE);

    Transaction lend() {
      Transaction own = idle.getAndSet(slot(), null);
      return own == null ? new Transaction() : own;
    }

    void giveBack(Transaction transaction) {
      idle.setRelease(slot(), transaction);
    }

    private static int slot() {
      return (int) (Thread.currentThread().getId() % SIZE);
    }
  }
}
