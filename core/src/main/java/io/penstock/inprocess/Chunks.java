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

  /**
   * Sees to it that the key has a slot under {@code pace}, taking along what it owes under another.
   *
   * @return false if it has none and {@code insert} does not ask for one
   */
  boolean prepare(long high, long low, Pace pace, boolean insert) {
    int index = index(high);
    ReentrantLock lock = lock(index);
    lock.lock();
    try {
      Chunk chunk = chunks.getPlain(index);
      int i = chunk.find(high, low);
      if (i >= 0 && chunk.isAt(i, pace)) {
        return true;
      }
      if (i < 0 && !insert) {
        return false;
      }
      long now = clock.nanos();
      long debt = 0;
      long word = i < 0 ? RETIRED : chunk.retire(i);
      if (word == RETIRED) {
        budget.take(this);
        size.incrementAndGet();
        chunk = chunks.getPlain(index);
      } else {
        debt = pace.carry(chunk.paceAt(i), debt(chunk, i, word, now));
      }
      if (!chunk.hasRoom() || !chunk.takes(pace) || !Slot.spans(pace, now - chunk.base)) {
        chunk = rebuild(index, now, pace);
      }
      long fullAt = Slot.instant(pace, now - chunk.base) + debt;
      chunk.add(new Hash(high, low), pace, Slot.word(fullAt));
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Moves the base of the key's chunk to now, if now is out of its span. */
  void rebase(long high, Pace pace) {
    int index = index(high);
    ReentrantLock lock = lock(index);
    lock.lock();
    try {
      long now = clock.nanos();
      if (!Slot.spans(pace, now - chunks.getPlain(index).base)) {
        rebuild(index, now, pace);
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Replaces a chunk by one with room, without the buckets that have been full for a while. Only
   * under its lock.
   */
  private Chunk rebuild(int index, long now, Pace pace) {
    Chunk old = chunks.getPlain(index);
    long[] owed = new long[old.slots()];
    int kept = 0;
    int dropped = 0;
    boolean mixed = false;
    for (int n = 0; n < old.slots(); n++) {
      int i = Chunk.slot(n);
      long word = old.retire(i);
      owed[n] = GONE;
      if (word != EMPTY && word != RETIRED) {
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
    for (int n = 0; n < old.slots(); n++) {
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
    return victim.found() && remove(victim, now);
  }

  private boolean remove(Victim victim, long now) {
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
      shrink(victim.index(), chunk, now);
    }
    return true;
  }

  /** Gives back the memory of a chunk from which most has been evicted, if nobody is at it. */
  private void shrink(int index, Chunk sparse, long now) {
    ReentrantLock lock = lock(index);
    if (lock.tryLock()) {
      try {
        if (chunks.getPlain(index) == sparse) {
          rebuild(index, now, sparse.pace());
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
