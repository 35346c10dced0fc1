package io.penstock.inprocess;

import static io.penstock.inprocess.Slot.EMPTY;
import static io.penstock.inprocess.Slot.HELD;
import static io.penstock.inprocess.Slot.RETIRED;
import static io.penstock.inprocess.Slot.WORDS;

import io.penstock.NanoClock;
import io.penstock.algorithm.Bucket;
import io.penstock.algorithm.Pace;
import io.penstock.inprocess.SipHash.Hash;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The chunks of a table: which one a key belongs to, and everything that changes more than a state:
 * adding keys, other limits, growth, eviction. Thread-safe. A thread that has taken the {@link
 * KeyLock} of a key calls no method here that takes the lock of a chunk.
 */
final class Chunks extends Table {
  /** No outcome is this. */
  static final long READY = Long.MIN_VALUE;

  private static final int KEYS_PER_CHUNK = 1024;
  private static final int FEW = 16;
  private static final long GONE = Long.MIN_VALUE;

  /** In place of an outcome: no room for another key at this moment. */
  private static final long NO_ROOM = Long.MIN_VALUE + 1;

  private static final long GRACE_NANOS = 1_000_000_000;

  private final NanoClock clock;
  private final KeyBudget budget;
  private final long order;
  private final ChunkArray chunks;

  private final InForce<Pace> inForce = new InForce<>();

  private final AtomicLong size = new AtomicLong();
  private final AtomicLong turn = new AtomicLong();

  /** The longest delay ever promised, in ticks: debts beyond empty are believed as far as that. */
  private final AtomicLong reach = new AtomicLong();

  Chunks(NanoClock clock, KeyBudget budget, long mostKeys, Pace pace, Tables owner) {
    super(owner);
    this.clock = clock;
    this.budget = budget;
    this.order = owner.order();
    int count = (int) Math.min(1 << 20, (mostKeys - 1) / KEYS_PER_CHUNK + 1);
    this.chunks = new ChunkArray(count, Chunk.none(clock.nanos(), pace));
  }

  Chunk of(long high) {
    return chunks.get(index(high));
  }

  @Override
  long size() {
    return size.get();
  }

  /** The number of the table among all tables of all stores. */
  long order() {
    return order;
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
   * Sees to it that a key has a slot in which it can be asked under {@code pace}: a new one if it
   * has none and {@code insert} says so. A bucket that something is missing from under another
   * active limit becomes one with a form for each ({@link Forms}). From a limit of the past, what
   * is missing is carried over, at most the new burst.
   *
   * @return {@link #READY}, or the outcome of a request that only looks or finds nothing to change
   */
  long settle(long high, long low, Pace pace, long cost, long most, boolean insert) {
    for (int pauses = 0; ; pauses++) {
      long settled = settle(high, low, pace, cost, most, insert, pauses);
      if (settled != NO_ROOM) {
        return settled;
      }
      KeyBudget.pause();
    }
  }

  private long settle(
      long high, long low, Pace pace, long cost, long most, boolean insert, int pauses) {
    int index = index(high);
    ReentrantLock lock = lock(index);
    lock.lock();
    try {
      Chunk chunk = chunks.get(index);
      int i = chunk.find(high, low);
      if (i >= 0 && (chunk.isAt(i, pace) || chunk.formsAt(i) != null)) {
        return READY;
      }
      if (i < 0) {
        return insert ? add(index, high, low, pace, pauses) : 0;
      }
      if (cost == 0) {
        // As everywhere, the clock is read after the state.
        long word = chunk.settled(i, order);
        long debt = carried(chunk, i, word, clock.nanos(), pace);
        return debt > most ? ~debt : debt;
      }
      long word = chunk.retire(i, order);
      if (word == RETIRED) {
        return add(index, high, low, pace, pauses);
      }
      convert(index, chunk, i, word, pace);
      return READY;
    } finally {
      lock.unlock();
    }
  }

  /** Gives a key another slot, for {@code pace} too. Only under the chunk's lock. */
  private void convert(int index, Chunk chunk, int i, long word, Pace pace) {
    long now = clock.nanos();
    Pace from = chunk.paceAt(i);
    long owed = debt(chunk, i, word, now);
    Hash key = chunk.keyAt(i);
    boolean denied = chunk.deniedAt(i);
    int placed;
    if (owed == 0 || !inForce.has(from)) {
      placed = place(index, key, pace, now, Math.min(pace.burst(), pace.carry(from, owed)));
    } else {
      boolean fits = chunk.isMixed() && chunk.hasRoom();
      Chunk mixed = fits ? chunk : rebuilt(index, pace, true, GRACE_NANOS);
      placed = mixed.add(key, new Forms(from, Bucket.owing(from, now, owed)));
      // With the key in it: a request that only looks takes a missing key for a full bucket.
      chunks.set(index, mixed);
    }
    if (denied && owed > 0) {
      chunks.get(index).deny(placed);
    }
  }

  /** Whether a key has no slot. */
  boolean lacks(long high, long low) {
    int index = index(high);
    ReentrantLock lock = lock(index);
    lock.lock();
    try {
      return chunks.get(index).find(high, low) < 0;
    } finally {
      lock.unlock();
    }
  }

  private long add(int index, long high, long low, Pace pace, int pauses) {
    if (!budget.tryTake(this, pauses)) {
      return NO_ROOM;
    }
    size.incrementAndGet();
    budget.register(this);
    place(index, new Hash(high, low), pace, clock.nanos(), 0);
    return READY;
  }

  /** Gives a key that has none a slot. Only under the chunk's lock. */
  private int place(int index, Hash key, Pace pace, long now, long debt) {
    Chunk chunk = chunks.get(index);
    if (!chunk.hasRoom() || !chunk.takes(pace) || !Slot.spans(pace, now - chunk.base)) {
      chunk = rebuilt(index, pace, false, GRACE_NANOS);
    }
    // A clock that moved that far since is not to be believed: then it is the instant of the base.
    long elapsed = Slot.spans(pace, now - chunk.base) ? now - chunk.base : 0;
    long fullAt = Slot.instant(pace, elapsed) + debt;
    int placed = chunk.add(key, pace, Slot.word(fullAt));
    // With the key in it: a request that only looks takes a missing key for a full bucket.
    chunks.set(index, chunk);
    return placed;
  }

  /** What a bucket under another limit owes, in units of {@code pace}: at most its burst. */
  long carried(Chunk chunk, int i, long word, long now, Pace pace) {
    return Math.min(pace.burst(), pace.carry(chunk.paceAt(i), debt(chunk, i, word, now)));
  }

  /** Moves the base of the key's chunk to now, if now is out of its span. */
  void rebase(long high, Pace pace) {
    int index = index(high);
    ReentrantLock lock = lock(index);
    lock.lock();
    try {
      if (!Slot.spans(pace, clock.nanos() - chunks.get(index).base)) {
        rebuild(index, pace, GRACE_NANOS);
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Replaces a chunk by one with room, without the buckets that have been full for a while. Only
   * under its lock.
   */
  private void rebuild(int index, Pace pace, long graceNanos) {
    chunks.set(index, rebuilt(index, pace, false, graceNanos));
  }

  /** The same, to be put in the old one's place by the caller. */
  private Chunk rebuilt(int index, Pace pace, boolean forForms, long graceNanos) {
    Chunk old = chunks.get(index);
    long[] owed = new long[old.slots()];
    for (int n = 0; n < owed.length; n++) {
      owed[n] = old.retire(Chunk.slot(n), order);
    }
    // Nobody changes these states any more, and the clock is later than all of them.
    long now = clock.nanos();
    int kept = 0;
    int dropped = 0;
    boolean mixed = forForms;
    for (int n = 0; n < owed.length; n++) {
      long word = owed[n];
      owed[n] = GONE;
      if (word != EMPTY && word != RETIRED) {
        int i = Chunk.slot(n);
        Forms forms = old.formsAt(i);
        long owes = forms == null ? owes(old, i, word, now) : dropIfFull(old, i, forms, now);
        if (owes > leastKept(old.paceAt(i), graceNanos)) {
          owed[n] = owes;
          kept++;
          mixed |= !old.isAt(i, pace);
        } else {
          dropped++;
        }
      }
    }
    Chunk fresh = new Chunk(Math.max(kept + 1, old == chunks.none() ? 1 : FEW), now, pace, mixed);
    for (int n = 0; n < owed.length; n++) {
      if (owed[n] != GONE) {
        move(old, Chunk.slot(n), owed[n], fresh);
      }
    }
    size.addAndGet(-dropped);
    budget.giveBack(dropped);
    return fresh;
  }

  private static void move(Chunk old, int i, long owed, Chunk fresh) {
    Pace own = old.paceAt(i);
    Forms forms = old.formsAt(i);
    int placed =
        forms == null
            ? fresh.add(old.keyAt(i), own, Slot.word(Slot.instant(own, 0) + owed))
            : fresh.add(old.keyAt(i), forms);
    if (old.deniedAt(i) && owed > 0) {
      fresh.deny(placed);
    }
  }

  /** {@link Slot#LONG_FULL} of a bucket that is full under all its limits, and 1 of others. */
  private long dropIfFull(Chunk chunk, int i, Forms forms, long now) {
    ReentrantLock lock = KeyLock.of(order, chunk.keyAt(i).high());
    lock.lock();
    try {
      if (forms.isFull(now, reach.get())) {
        forms.drop();
        return Slot.LONG_FULL;
      }
      return 1;
    } finally {
      lock.unlock();
    }
  }

  /** A full bucket is no bucket, but one used within this time is likely to be used again. */
  private static long leastKept(Pace pace, long graceNanos) {
    return -graceNanos * pace.unitsPerTick();
  }

  @Override
  long busyNanos() {
    long longest = 0;
    for (int index = 0; index < chunks.length(); index++) {
      Chunk chunk = chunks.get(index);
      for (int n = 0; n < chunk.slots(); n++) {
        int i = Chunk.slot(n);
        long word = (long) WORDS.getAcquire(chunk.words, i);
        if (word != EMPTY && word != RETIRED) {
          longest = Math.max(longest, busyNanos(chunk, i, word));
        }
      }
    }
    return longest;
  }

  private long busyNanos(Chunk chunk, int i, long word) {
    Forms forms = chunk.formsAt(i);
    if (forms == null) {
      return chunk.paceAt(i).ticks(debt(chunk, i, word, clock.nanos()));
    }
    ReentrantLock lock = KeyLock.of(order, chunk.words[i + 1]);
    lock.lock();
    try {
      return forms.busyTicks(clock.nanos(), reach.get());
    } finally {
      lock.unlock();
    }
  }

  @Override
  void dropFull() {
    for (int index = 0; index < chunks.length(); index++) {
      if (chunks.get(index) != chunks.none()) {
        ReentrantLock lock = lock(index);
        lock.lock();
        try {
          rebuild(index, chunks.get(index).pace(), 0);
        } finally {
          lock.unlock();
        }
      }
    }
  }

  private long owes(Chunk chunk, int i, long word, long now) {
    Pace pace = chunk.paceAt(i);
    return Slot.owes(word, pace, now - chunk.base, pace.ceiling(reach.get()));
  }

  private long debt(Chunk chunk, int i, long word, long now) {
    return Math.max(0, owes(chunk, i, word, now));
  }

  @Override
  boolean evict(Spare spare) {
    long now = clock.nanos();
    Victim victim = new Victim(spare);
    long first = turn.getAndIncrement();
    for (int n = 0; n < chunks.length() && !victim.settled(); n++) {
      int index = (int) Math.floorMod(first + n, (long) chunks.length());
      Chunk chunk = chunks.get(index);
      int slots = chunk.slots();
      int start = (int) Math.floorMod(first * 0x9e37_79b9L, (long) slots);
      for (int k = 0; k < slots && !victim.settled(); k++) {
        int i = Chunk.slot((start + k) % slots);
        long word = (long) WORDS.getAcquire(chunk.words, i);
        if (word != EMPTY && (word & HELD) == 0) {
          consider(victim, chunk, index, i, word, now);
        }
      }
    }
    return victim.found() && remove(victim);
  }

  private void consider(Victim victim, Chunk chunk, int index, int i, long word, long now) {
    if (Pins.has(order, chunk.words[i + 1], chunk.words[i + 2])) {
      return;
    }
    Forms forms = chunk.formsAt(i);
    if (forms == null) {
      victim.consider(chunk, index, i, word, debt(chunk, i, word, now));
      return;
    }
    ReentrantLock lock = KeyLock.of(order, chunk.keyAt(i).high());
    if (lock.tryLock()) {
      try {
        double share = forms.missingShare(now, reach.get());
        long missing = forms.missingThousandths(now, reach.get());
        boolean spent = forms.isSpent(now, reach.get());
        victim.consider(chunk, index, i, word, share, spent, missing);
      } finally {
        lock.unlock();
      }
    }
  }

  private boolean remove(Victim victim) {
    Chunk chunk = victim.chunk();
    if (!evict(chunk, victim.slot(), victim.word())) {
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

  private boolean evict(Chunk chunk, int i, long word) {
    Forms forms = chunk.formsAt(i);
    if (forms == null) {
      return chunk.evict(i, word);
    }
    ReentrantLock lock = KeyLock.of(order, chunk.keyAt(i).high());
    if (!lock.tryLock()) {
      return false;
    }
    try {
      boolean evicted = chunk.evict(i, word);
      if (evicted) {
        forms.drop();
      }
      return evicted;
    } finally {
      lock.unlock();
    }
  }

  /** Gives back the memory of a chunk from which most has been evicted, if nobody is at it. */
  private void shrink(int index, Chunk sparse) {
    ReentrantLock lock = lock(index);
    if (lock.tryLock()) {
      try {
        if (chunks.get(index) == sparse) {
          rebuild(index, sparse.pace(), GRACE_NANOS);
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
    return ChunkArray.lock(order, index);
  }
}
