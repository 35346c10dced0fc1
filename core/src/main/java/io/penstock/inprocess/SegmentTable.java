package io.penstock.inprocess;

import static io.penstock.inprocess.BucketWord.EMPTY;
import static io.penstock.inprocess.BucketWord.HELD;
import static io.penstock.inprocess.BucketWord.RETIRED;
import static io.penstock.inprocess.BucketWord.WORDS;

import io.penstock.NanoClock;
import io.penstock.algorithm.FixedPointRate;
import io.penstock.inprocess.SipHash.Hash;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The segments of a table. Maps keys to segments, and performs all changes beyond updating a state:
 * adding keys, changing limits, growth, eviction. Thread-safe. A thread that holds the {@link
 * KeyLock} of a key must not call methods that take the lock of a segment.
 */
final class SegmentTable extends Table {
  /** Not an outcome: the key has a slot for the limit. */
  static final long READY = Long.MIN_VALUE;

  private static final int KEYS_PER_SEGMENT = 1024;
  private static final int MIN_EXPECTED_KEYS = 16;
  private static final long DROPPED = Long.MIN_VALUE;

  /** Not an outcome: there is no room for another key at this moment. */
  private static final long NO_ROOM = Long.MIN_VALUE + 1;

  private static final long GRACE_NANOS = 1_000_000_000;

  private final NanoClock clock;
  private final KeyBudget budget;
  private final long tableNumber;
  private final SegmentDirectory segments;

  private final ActiveLimits<FixedPointRate> activeLimits = new ActiveLimits<>();

  private final AtomicLong size = new AtomicLong();
  private final AtomicLong evictionCursor = new AtomicLong();

  /**
   * The longest delay ever granted, in ticks. Debts beyond an empty bucket are valid up to this
   * delay.
   */
  private final AtomicLong reach = new AtomicLong();

  SegmentTable(
      NanoClock clock,
      KeyBudget budget,
      long maxKeys,
      FixedPointRate fixedRate,
      NamedTables owner) {
    super(owner);
    this.clock = clock;
    this.budget = budget;
    this.tableNumber = owner.tableNumber();
    int count = (int) Math.min(1 << 20, (maxKeys - 1) / KEYS_PER_SEGMENT + 1);
    this.segments = new SegmentDirectory(count, Segment.none(clock.nanos(), fixedRate));
  }

  Segment of(long high) {
    return segments.get(index(high));
  }

  @Override
  long size() {
    return size.get();
  }

  /** The number of the table, unique among all tables of all stores. */
  long tableNumber() {
    return tableNumber;
  }

  long reach() {
    return reach.get();
  }

  /** Must be called before other threads can see a debt that is this far beyond an empty bucket. */
  void extendReach(long ticks) {
    if (ticks > reach.get()) {
      reach.accumulateAndGet(ticks, Math::max);
    }
  }

  ActiveLimits<FixedPointRate> activeLimits() {
    return activeLimits;
  }

  /**
   * Makes sure that a key has a slot for {@code fixedRate}; creates one if there is none and {@code
   * insert} is set. If tokens are missing under another active limit, the bucket becomes a {@link
   * MultiLimitBucket}. If the other limit is no longer active, the missing tokens are carried over,
   * up to the new burst.
   *
   * @return {@link #READY}, or the outcome of a request that doesn't change anything
   */
  long ensureSlot(
      long high, long low, FixedPointRate fixedRate, long cost, long maxDebt, boolean insert) {
    for (int pauses = 0; ; pauses++) {
      long result = tryEnsureSlot(high, low, fixedRate, cost, maxDebt, insert, pauses);
      if (result != NO_ROOM) {
        return result;
      }
      KeyBudget.pause();
    }
  }

  private long tryEnsureSlot(
      long high,
      long low,
      FixedPointRate fixedRate,
      long cost,
      long maxDebt,
      boolean insert,
      int pauses) {
    int index = index(high);
    ReentrantLock lock = lock(index);
    lock.lock();
    try {
      Segment segment = segments.get(index);
      int i = segment.find(high, low);
      if (i >= 0 && (segment.hasOnlyLimit(i, fixedRate) || segment.multiLimitAt(i) != null)) {
        return READY;
      }
      if (i < 0) {
        return insert ? add(index, high, low, fixedRate, pauses) : 0;
      }
      if (cost == 0) {
        // As everywhere, the clock is read after the state.
        long word = segment.stateWhenReleased(i, tableNumber);
        long debt = carried(segment, i, word, clock.nanos(), fixedRate);
        return debt > maxDebt ? ~debt : debt;
      }
      long word = segment.retire(i, tableNumber);
      if (word == RETIRED) {
        return add(index, high, low, fixedRate, pauses);
      }
      convert(index, segment, i, word, fixedRate);
      return READY;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Moves a key to a new slot that also supports {@code fixedRate}. Requires the segment's lock.
   */
  private void convert(int index, Segment segment, int i, long word, FixedPointRate fixedRate) {
    long now = clock.nanos();
    FixedPointRate from = segment.rateAt(i);
    long debt = debt(segment, i, word, now);
    Hash key = segment.keyAt(i);
    boolean denied = segment.deniedAt(i);
    int slot;
    if (debt == 0 || !activeLimits.contains(from)) {
      slot =
          insert(
              index, key, fixedRate, now, Math.min(fixedRate.burst(), fixedRate.carry(from, debt)));
    } else {
      boolean fits = segment.isMixed() && segment.hasRoom();
      Segment mixed = fits ? segment : copyWithRoom(index, fixedRate, true, GRACE_NANOS);
      slot = mixed.add(key, new MultiLimitBucket(from, FullTime.owing(from, now, debt)));
      // Publish the segment after adding the key: to a peek, a missing key is a full bucket.
      segments.set(index, mixed);
    }
    if (denied && debt > 0) {
      segments.get(index).markDenied(slot);
    }
  }

  /** Whether a key has no slot. */
  boolean isAbsent(long high, long low) {
    int index = index(high);
    ReentrantLock lock = lock(index);
    lock.lock();
    try {
      return segments.get(index).find(high, low) < 0;
    } finally {
      lock.unlock();
    }
  }

  private long add(int index, long high, long low, FixedPointRate fixedRate, int pauses) {
    if (!budget.tryTake(this, pauses)) {
      return NO_ROOM;
    }
    size.incrementAndGet();
    budget.register(this);
    insert(index, new Hash(high, low), fixedRate, clock.nanos(), 0);
    return READY;
  }

  /** Assigns a slot to a key that has none. Requires the segment's lock. */
  private int insert(int index, Hash key, FixedPointRate fixedRate, long now, long debt) {
    Segment segment = segments.get(index);
    if (!segment.hasRoom()
        || !segment.accepts(fixedRate)
        || !BucketWord.spans(fixedRate, now - segment.base)) {
      segment = copyWithRoom(index, fixedRate, false, GRACE_NANOS);
    }
    // If the clock has moved out of range since, it can't be trusted. Use the time of the base.
    long elapsed = BucketWord.spans(fixedRate, now - segment.base) ? now - segment.base : 0;
    long fullAt = BucketWord.instant(fixedRate, elapsed) + debt;
    int slot = segment.add(key, fixedRate, BucketWord.word(fullAt));
    // Publish the segment after adding the key: to a peek, a missing key is a full bucket.
    segments.set(index, segment);
    return slot;
  }

  /** The debt of a bucket under another limit, in units of {@code fixedRate}, up to its burst. */
  long carried(Segment segment, int i, long word, long now, FixedPointRate fixedRate) {
    return Math.min(
        fixedRate.burst(), fixedRate.carry(segment.rateAt(i), debt(segment, i, word, now)));
  }

  /** Moves the base of the key's segment to now, if now is out of its span. */
  void rebase(long high, FixedPointRate fixedRate) {
    int index = index(high);
    ReentrantLock lock = lock(index);
    lock.lock();
    try {
      if (!BucketWord.spans(fixedRate, clock.nanos() - segments.get(index).base)) {
        rebuild(index, fixedRate, GRACE_NANOS);
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Replaces a segment by one with room, without the buckets that have been full for longer than
   * {@code graceNanos}. Requires its lock.
   */
  private void rebuild(int index, FixedPointRate fixedRate, long graceNanos) {
    segments.set(index, copyWithRoom(index, fixedRate, false, graceNanos));
  }

  /** Like {@link #rebuild}, but the caller publishes the new segment. */
  private Segment copyWithRoom(
      int index, FixedPointRate fixedRate, boolean forMultiLimit, long graceNanos) {
    Segment old = segments.get(index);
    long[] debts = new long[old.slots()];
    for (int n = 0; n < debts.length; n++) {
      debts[n] = old.retire(Segment.slot(n), tableNumber);
    }
    // All states are retired and can't change any more, and the clock is later than all of them.
    long now = clock.nanos();
    int kept = 0;
    int dropped = 0;
    boolean mixed = forMultiLimit;
    for (int n = 0; n < debts.length; n++) {
      long word = debts[n];
      debts[n] = DROPPED;
      if (word != EMPTY && word != RETIRED) {
        int i = Segment.slot(n);
        MultiLimitBucket multiLimit = old.multiLimitAt(i);
        long debt =
            multiLimit == null
                ? signedDebt(old, i, word, now)
                : dropIfFull(old, i, multiLimit, now);
        if (debt > minDebtKept(old.rateAt(i), graceNanos)) {
          debts[n] = debt;
          kept++;
          mixed |= !old.hasOnlyLimit(i, fixedRate);
        } else {
          dropped++;
        }
      }
    }
    Segment fresh =
        new Segment(
            Math.max(kept + 1, old == segments.none() ? 1 : MIN_EXPECTED_KEYS),
            now,
            fixedRate,
            mixed);
    for (int n = 0; n < debts.length; n++) {
      if (debts[n] != DROPPED) {
        move(old, Segment.slot(n), debts[n], fresh);
      }
    }
    size.addAndGet(-dropped);
    budget.giveBack(dropped);
    return fresh;
  }

  private static void move(Segment old, int i, long debt, Segment fresh) {
    FixedPointRate own = old.rateAt(i);
    MultiLimitBucket multiLimit = old.multiLimitAt(i);
    int slot =
        multiLimit == null
            ? fresh.add(old.keyAt(i), own, BucketWord.word(BucketWord.instant(own, 0) + debt))
            : fresh.add(old.keyAt(i), multiLimit);
    if (old.deniedAt(i) && debt > 0) {
      fresh.markDenied(slot);
    }
  }

  /**
   * Returns {@link BucketWord#LONG_FULL} if the bucket is full under all its limits, otherwise 1.
   */
  private long dropIfFull(Segment segment, int i, MultiLimitBucket multiLimit, long now) {
    ReentrantLock lock = KeyLock.of(tableNumber, segment.keyAt(i).high());
    lock.lock();
    try {
      if (multiLimit.isFull(now, reach.get())) {
        multiLimit.drop();
        return BucketWord.LONG_FULL;
      }
      return 1;
    } finally {
      lock.unlock();
    }
  }

  /** A full bucket needs no state, but one that was used recently is likely to be used again. */
  private static long minDebtKept(FixedPointRate fixedRate, long graceNanos) {
    return -graceNanos * fixedRate.unitsPerTick();
  }

  @Override
  long busyNanos() {
    long max = 0;
    for (int index = 0; index < segments.length(); index++) {
      Segment segment = segments.get(index);
      for (int n = 0; n < segment.slots(); n++) {
        int i = Segment.slot(n);
        long word = (long) WORDS.getAcquire(segment.words, i);
        if (word != EMPTY && word != RETIRED) {
          max = Math.max(max, busyNanos(segment, i, word));
        }
      }
    }
    return max;
  }

  private long busyNanos(Segment segment, int i, long word) {
    MultiLimitBucket multiLimit = segment.multiLimitAt(i);
    if (multiLimit == null) {
      return segment.rateAt(i).ticks(debt(segment, i, word, clock.nanos()));
    }
    ReentrantLock lock = KeyLock.of(tableNumber, segment.words[i + 1]);
    lock.lock();
    try {
      return multiLimit.busyTicks(clock.nanos(), reach.get());
    } finally {
      lock.unlock();
    }
  }

  @Override
  void dropFull() {
    for (int index = 0; index < segments.length(); index++) {
      if (segments.get(index) != segments.none()) {
        ReentrantLock lock = lock(index);
        lock.lock();
        try {
          rebuild(index, segments.get(index).fixedRate(), 0);
        } finally {
          lock.unlock();
        }
      }
    }
  }

  private long signedDebt(Segment segment, int i, long word, long now) {
    FixedPointRate fixedRate = segment.rateAt(i);
    return BucketWord.signedDebt(
        word, fixedRate, now - segment.base, fixedRate.ceiling(reach.get()));
  }

  private long debt(Segment segment, int i, long word, long now) {
    return Math.max(0, signedDebt(segment, i, word, now));
  }

  @Override
  boolean evict(EvictionPriority upTo) {
    long now = clock.nanos();
    VictimSearch victim = new VictimSearch(upTo);
    long first = evictionCursor.getAndIncrement();
    for (int n = 0; n < segments.length() && !victim.isDone(); n++) {
      int index = (int) Math.floorMod(first + n, (long) segments.length());
      Segment segment = segments.get(index);
      int slots = segment.slots();
      int start = (int) Math.floorMod(first * 0x9e37_79b9L, (long) slots);
      for (int k = 0; k < slots && !victim.isDone(); k++) {
        int i = Segment.slot((start + k) % slots);
        long word = stateWithoutStripes(segment, i);
        if (word != EMPTY && (word & HELD) == 0) {
          consider(victim, segment, index, i, word, now);
        }
      }
    }
    return victim.found() && remove(victim);
  }

  /** Reads a state; closes its stripes first, unless another thread has the lock of the key. */
  private long stateWithoutStripes(Segment segment, int i) {
    long word = (long) WORDS.getAcquire(segment.words, i);
    if (segment.hasStripes() && BucketWord.isHeld(word)) {
      ReentrantLock lock = KeyLock.of(tableNumber, segment.words[i + 1]);
      if (lock.tryLock()) {
        try {
          segment.closeStripes(i);
        } finally {
          lock.unlock();
        }
        word = (long) WORDS.getAcquire(segment.words, i);
      }
    }
    return word;
  }

  private void consider(
      VictimSearch victim, Segment segment, int index, int i, long word, long now) {
    if (Pins.contains(tableNumber, segment.words[i + 1], segment.words[i + 2])) {
      return;
    }
    MultiLimitBucket multiLimit = segment.multiLimitAt(i);
    if (multiLimit == null) {
      victim.consider(segment, index, i, word, debt(segment, i, word, now));
      return;
    }
    ReentrantLock lock = KeyLock.of(tableNumber, segment.keyAt(i).high());
    if (lock.tryLock()) {
      try {
        double share = multiLimit.missingShare(now, reach.get());
        long missing = multiLimit.missingThousandths(now, reach.get());
        boolean spent = multiLimit.isSpent(now, reach.get());
        victim.consider(segment, index, i, word, share, spent, missing);
      } finally {
        lock.unlock();
      }
    }
  }

  private boolean remove(VictimSearch victim) {
    Segment segment = victim.segment();
    if (!evict(segment, victim.slot(), victim.word())) {
      return false;
    }
    size.decrementAndGet();
    if (victim.missing() > 0) {
      budget.evicted(1, victim.missing());
    } else {
      budget.giveBack(1);
    }
    if (segment.isSparse()) {
      shrink(victim.index(), segment);
    }
    return true;
  }

  private boolean evict(Segment segment, int i, long word) {
    MultiLimitBucket multiLimit = segment.multiLimitAt(i);
    if (multiLimit == null) {
      return segment.evict(i, word);
    }
    ReentrantLock lock = KeyLock.of(tableNumber, segment.keyAt(i).high());
    if (!lock.tryLock()) {
      return false;
    }
    try {
      boolean evicted = segment.evict(i, word);
      if (evicted) {
        multiLimit.drop();
      }
      return evicted;
    } finally {
      lock.unlock();
    }
  }

  /** Frees the memory of a segment with mostly evicted buckets, unless its lock is taken. */
  private void shrink(int index, Segment sparse) {
    ReentrantLock lock = lock(index);
    if (lock.tryLock()) {
      try {
        if (segments.get(index) == sparse) {
          rebuild(index, sparse.fixedRate(), GRACE_NANOS);
        }
      } finally {
        lock.unlock();
      }
    }
  }

  private int index(long high) {
    return (int) (((high >>> 32) * segments.length()) >>> 32);
  }

  private ReentrantLock lock(int index) {
    return SegmentDirectory.lock(tableNumber, index);
  }
}
