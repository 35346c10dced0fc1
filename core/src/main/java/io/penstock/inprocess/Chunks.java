package io.penstock.inprocess;

import static io.penstock.inprocess.Slot.EMPTY;
import static io.penstock.inprocess.Slot.HELD;
import static io.penstock.inprocess.Slot.RETIRED;
import static io.penstock.inprocess.Slot.WORDS;

import io.penstock.NanoClock;
import io.penstock.algorithm.Pace;
import io.penstock.inprocess.SipHash.Hash;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The chunks of a table: which one a key belongs to, and everything that changes more than a state:
 * adding keys, other limits, growth, eviction. Thread-safe. Nobody who holds a slot calls a method
 * here that takes a lock.
 */
final class Chunks implements KeyBudget.Evictable {
  /** No outcome is this. */
  static final long READY = Long.MIN_VALUE;

  /** In place of the most a bucket may owe: it is not asked whether the request may pass. */
  static final long FORCED = -1;

  private static final int KEYS_PER_CHUNK = 1024;
  private static final int MOST_LOCKS = 64;
  private static final int FEW = 16;
  private static final long GONE = Long.MIN_VALUE;
  private static final long GRACE_NANOS = 1_000_000_000;

  private final NanoClock clock;
  private final KeyBudget budget;
  private final AtomicReferenceArray<Chunk> chunks;
  private final ReentrantLock[] locks;
  private final Chunk none;

  private final InForce<Pace> inForce = new InForce<>();

  private final AtomicLong size = new AtomicLong();
  private final AtomicLong turn = new AtomicLong();

  /** The longest delay ever promised, in ticks: debts beyond empty are believed as far as that. */
  private final AtomicLong reach = new AtomicLong();

  Chunks(NanoClock clock, KeyBudget budget, long mostKeys, Pace pace) {
    this.clock = clock;
    this.budget = budget;
    int count = (int) Math.min(1 << 20, (mostKeys - 1) / KEYS_PER_CHUNK + 1);
    this.chunks = new AtomicReferenceArray<>(count);
    this.locks = new ReentrantLock[Math.min(count, MOST_LOCKS)];
    this.none = Chunk.none(clock.nanos(), pace);
    for (int i = 0; i < count; i++) {
      chunks.set(i, none);
    }
    for (int i = 0; i < locks.length; i++) {
      locks[i] = new ReentrantLock();
    }
  }

  Chunk of(long high) {
    return chunks.getAcquire(index(high));
  }

  @Override
  public long size() {
    return size.get();
  }

  long reach() {
    return reach.get();
  }

  /** Called before anybody can see a debt that lies so far beyond an empty bucket. */
  void extendReach(long ticks) {
    if (ticks > reach.get()) {
      reach.accumulateAndGet(ticks, Math::max);
    }
  }

  InForce<Pace> inForce() {
    return inForce;
  }

  /**
   * Sees to it that a key has a slot under {@code pace}: a new one if it has none and {@code
   * insert} says so, or in place of one under another limit, with what is missing from that.
   *
   * <p>While both limits are in force, going from one to the other must gain nothing. So nothing
   * missing is forgiven, and a request that is denied anyway leaves the bucket under the limit by
   * which it refills faster. A limit of the past just has its missing tokens carried over, at most
   * the new burst.
   *
   * @return {@link #READY}, or the outcome of the request where it leaves the key without such a
   *     slot
   */
  long settle(long high, long low, Pace pace, long cost, long most, boolean insert) {
    int index = index(high);
    ReentrantLock lock = lock(index);
    lock.lock();
    try {
      Chunk chunk = chunks.getPlain(index);
      int i = chunk.find(high, low);
      if (i >= 0 && chunk.isAt(i, pace)) {
        return READY;
      }
      if (i < 0) {
        return insert ? add(index, high, low, pace) : 0;
      }
      // As everywhere, the clock is read after the state.
      long word = chunk.settled(i);
      long debt = carried(chunk, i, word, clock.nanos(), pace);
      boolean denied = most != FORCED && debt + cost > most;
      if (cost == 0
          || (denied && inForce.has(chunk.paceAt(i)) && !pace.isFasterThan(chunk.paceAt(i)))) {
        return denied ? ~debt : debt;
      }
      word = chunk.retire(i);
      if (word == RETIRED) {
        return add(index, high, low, pace);
      }
      long now = clock.nanos();
      debt = carried(chunk, i, word, now, pace);
      extendReach(pace.ticks(debt - pace.burst()));
      place(index, high, low, pace, now, debt);
      return READY;
    } finally {
      lock.unlock();
    }
  }

  /** Whether a key has no slot. */
  boolean lacks(long high, long low) {
    int index = index(high);
    ReentrantLock lock = lock(index);
    lock.lock();
    try {
      return chunks.getPlain(index).find(high, low) < 0;
    } finally {
      lock.unlock();
    }
  }

  /** Adds a key that is not there whatever the budget says. */
  void insist(long high, long low, Pace pace) {
    int index = index(high);
    ReentrantLock lock = lock(index);
    lock.lock();
    try {
      if (chunks.getPlain(index).find(high, low) < 0) {
        budget.grow(1);
        size.incrementAndGet();
        place(index, high, low, pace, clock.nanos(), 0);
      }
    } finally {
      lock.unlock();
    }
  }

  private long add(int index, long high, long low, Pace pace) {
    budget.take(this);
    size.incrementAndGet();
    place(index, high, low, pace, clock.nanos(), 0);
    return READY;
  }

  /** Gives a key that has none a slot. Only under the chunk's lock. */
  private void place(int index, long high, long low, Pace pace, long now, long debt) {
    Chunk chunk = chunks.getPlain(index);
    if (!chunk.hasRoom() || !chunk.takes(pace) || !Slot.spans(pace, now - chunk.base)) {
      chunk = rebuild(index, pace);
    }
    // A clock that moved that far since is not to be believed: then it is the instant of the base.
    long elapsed = Slot.spans(pace, now - chunk.base) ? now - chunk.base : 0;
    long fullAt = Slot.instant(pace, elapsed) + debt;
    chunk.add(new Hash(high, low), pace, Slot.word(fullAt));
  }

  /** What a bucket under another limit owes, in units of {@code pace}. */
  long carried(Chunk chunk, int i, long word, long now, Pace pace) {
    Pace from = chunk.paceAt(i);
    long debt = pace.carry(from, debt(chunk, i, word, now));
    return inForce.has(from) ? debt : Math.min(debt, pace.burst());
  }

  /** Moves the base of the key's chunk to now, if now is out of its span. */
  void rebase(long high, Pace pace) {
    int index = index(high);
    ReentrantLock lock = lock(index);
    lock.lock();
    try {
      if (!Slot.spans(pace, clock.nanos() - chunks.getPlain(index).base)) {
        rebuild(index, pace);
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Replaces a chunk by one with room, without the buckets that have been full for a while. Only
   * under its lock.
   */
  private Chunk rebuild(int index, Pace pace) {
    Chunk old = chunks.getPlain(index);
    long[] owed = new long[old.slots()];
    for (int n = 0; n < owed.length; n++) {
      owed[n] = old.retire(Chunk.slot(n));
    }
    // Nobody changes these states any more, and the clock is later than all of them.
    long now = clock.nanos();
    int kept = 0;
    int dropped = 0;
    boolean mixed = false;
    for (int n = 0; n < owed.length; n++) {
      long word = owed[n];
      owed[n] = GONE;
      if (word != EMPTY && word != RETIRED) {
        int i = Chunk.slot(n);
        long owes = owes(old, i, word, now);
        if (owes >= leastKept(old.paceAt(i))) {
          owed[n] = owes;
          kept++;
          mixed |= !old.isAt(i, pace);
        } else {
          dropped++;
        }
      }
    }
    Chunk fresh = new Chunk(Math.max(kept + 1, old == none ? 1 : FEW), now, pace, mixed);
    for (int n = 0; n < owed.length; n++) {
      if (owed[n] != GONE) {
        int i = Chunk.slot(n);
        Pace own = old.paceAt(i);
        fresh.add(old.keyAt(i), own, Slot.word(Slot.instant(own, 0) + owed[n]));
      }
    }
    chunks.setRelease(index, fresh);
    size.addAndGet(-dropped);
    budget.giveBack(dropped);
    return fresh;
  }

  /** A full bucket is no bucket, but one used within this time is likely to be used again. */
  private static long leastKept(Pace pace) {
    return -GRACE_NANOS * pace.unitsPerTick();
  }

  private long owes(Chunk chunk, int i, long word, long now) {
    Pace pace = chunk.paceAt(i);
    return Slot.owes(word, pace, now - chunk.base, pace.ceiling(reach.get()));
  }

  private long debt(Chunk chunk, int i, long word, long now) {
    return Math.max(0, owes(chunk, i, word, now));
  }

  @Override
  public boolean evict(boolean spentToo) {
    long now = clock.nanos();
    Victim victim = new Victim(spentToo);
    long first = turn.getAndIncrement();
    for (int n = 0; n < chunks.length() && !victim.settled(); n++) {
      int index = (int) Math.floorMod(first + n, (long) chunks.length());
      Chunk chunk = chunks.getAcquire(index);
      int slots = chunk.slots();
      int start = (int) Math.floorMod(first * 0x9e37_79b9L, (long) slots);
      for (int k = 0; k < slots && !victim.settled(); k++) {
        int i = Chunk.slot((start + k) % slots);
        long word = (long) WORDS.getAcquire(chunk.words, i);
        if (word != EMPTY && (word & HELD) == 0) {
          victim.consider(chunk, index, i, word, debt(chunk, i, word, now));
        }
      }
    }
    return victim.found() && remove(victim);
  }

  private boolean remove(Victim victim) {
    Chunk chunk = victim.chunk();
    if (!chunk.evict(victim.slot(), victim.word())) {
      return false;
    }
    size.decrementAndGet();
    if (victim.missing() > 0) {
      budget.evicted(1, victim.missing());
    } else {
      budget.giveBack(1);
    }
    if (chunk.isSparse()) {
      shrink(victim.index(), chunk);
    }
    return true;
  }

  /** Gives back the memory of a chunk from which most has been evicted, if nobody is at it. */
  private void shrink(int index, Chunk sparse) {
    ReentrantLock lock = lock(index);
    if (lock.tryLock()) {
      try {
        if (chunks.getPlain(index) == sparse) {
          rebuild(index, sparse.pace());
        }
      } finally {
        lock.unlock();
      }
    }
  }

  private int index(long high) {
    return (int) (((high >>> 32) * chunks.length()) >>> 32);
  }

  private ReentrantLock lock(int index) {
    return locks[index % locks.length];
  }
}
