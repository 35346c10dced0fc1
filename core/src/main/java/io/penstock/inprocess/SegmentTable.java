package io.penstock.inprocess;

import static io.penstock.inprocess.BucketWord.EMPTY;
import static io.penstock.inprocess.BucketWord.HELD;
import static io.penstock.inprocess.BucketWord.RETIRED;
import static io.penstock.inprocess.BucketWord.WORDS;

import io.penstock.NanoClock;
import io.penstock.algorithm.Bucket;
import io.penstock.algorithm.FixedPointRate;
import io.penstock.inprocess.SipHash.Hash;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The segments of a table: which one a key belongs to, and everything that changes more than a
 * state: adding keys, other limits, growth, eviction. Thread-safe. A thread that has taken the
 * {@link KeyLock} of a key calls no method here that takes the lock of a segment.
 */
final class SegmentTable extends Table {
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
  private final SegmentDirectory segments;

  private final ActiveLimits<FixedPointRate> activeLimits = new ActiveLimits<>();

  private final AtomicLong size = new AtomicLong();
  private final AtomicLong turn = new AtomicLong();

  /** The longest delay ever promised, in ticks: debts beyond empty are believed as far as that. */
  private final AtomicLong reach = new AtomicLong();

  SegmentTable(
      NanoClock clock,
      KeyBudget budget,
      long mostKeys,
      FixedPointRate fixedRate,
      NamedTables owner) {
    super(owner);
    this.clock = clock;
    this.budget = budget;
    this.order = owner.order();
    int count = (int) Math.min(1 << 20, (mostKeys - 1) / KEYS_PER_CHUNK + 1);
    this.segments = new SegmentDirectory(count, Segment.none(clock.nanos(), fixedRate));
  }

  Segment of(long high) {
    return segments.get(index(high));
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

  ActiveLimits<FixedPointRate> activeLimits() {
    return activeLimits;
  }

  /**
   * Sees to it that a key has a slot in which it can be asked under {@code fixedRate}: a new one if
   * it has none and {@code insert} says so. A bucket that something is missing from under another
   * active limit becomes one with a form for each ({@link MultiLimitBucket}). From a limit of the
   * past, what is missing is carried over, at most the new burst.
   *
   * @return {@link #READY}, or the outcome of a request that only looks or finds nothing to change
   */
  long settle(long high, long low, FixedPointRate fixedRate, long cost, long most, boolean insert) {
    for (int pauses = 0; ; pauses++) {
      long settled = settle(high, low, fixedRate, cost, most, insert, pauses);
      if (settled != NO_ROOM) {
        return settled;
      }
      KeyBudget.pause();
    }
  }

  private long settle(
      long high,
      long low,
      FixedPointRate fixedRate,
      long cost,
      long most,
      boolean insert,
      int pauses) {
    int index = index(high);
    ReentrantLock lock = lock(index);
    lock.lock();
    try {
      Segment segment = segments.get(index);
      int i = segment.find(high, low);
      if (i >= 0 && (segment.isAt(i, fixedRate) || segment.formsAt(i) != null)) {
        return READY;
      }
      if (i < 0) {
        return insert ? add(index, high, low, fixedRate, pauses) : 0;
      }
      if (cost == 0) {
        // As everywhere, the clock is read after the state.
        long word = segment.settled(i, order);
        long debt = carried(segment, i, word, clock.nanos(), fixedRate);
        return debt > most ? ~debt : debt;
      }
      long word = segment.retire(i, order);
      if (word == RETIRED) {
        return add(index, high, low, fixedRate, pauses);
      }
      convert(index, segment, i, word, fixedRate);
      return READY;
    } finally {
      lock.unlock();
    }
  }

  /** Gives a key another slot, for {@code fixedRate} too. Only under the segment's lock. */
  private void convert(int index, Segment segment, int i, long word, FixedPointRate fixedRate) {
    long now = clock.nanos();
    FixedPointRate from = segment.paceAt(i);
    long owed = debt(segment, i, word, now);
    Hash key = segment.keyAt(i);
    boolean denied = segment.deniedAt(i);
    int placed;
    if (owed == 0 || !activeLimits.has(from)) {
      placed =
          place(
              index, key, fixedRate, now, Math.min(fixedRate.burst(), fixedRate.carry(from, owed)));
    } else {
      boolean fits = segment.isMixed() && segment.hasRoom();
      Segment mixed = fits ? segment : rebuilt(index, fixedRate, true, GRACE_NANOS);
      placed = mixed.add(key, new MultiLimitBucket(from, Bucket.owing(from, now, owed)));
      // With the key in it: a request that only looks takes a missing key for a full bucket.
      segments.set(index, mixed);
    }
    if (denied && owed > 0) {
      segments.get(index).deny(placed);
    }
  }

  /** Whether a key has no slot. */
  boolean lacks(long high, long low) {
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
    place(index, new Hash(high, low), fixedRate, clock.nanos(), 0);
    return READY;
  }

  /** Gives a key that has none a slot. Only under the segment's lock. */
  private int place(int index, Hash key, FixedPointRate fixedRate, long now, long debt) {
    Segment segment = segments.get(index);
    if (!segment.hasRoom()
        || !segment.takes(fixedRate)
        || !BucketWord.spans(fixedRate, now - segment.base)) {
      segment = rebuilt(index, fixedRate, false, GRACE_NANOS);
    }
    // A clock that moved that far since is not to be believed: then it is the instant of the base.
    long elapsed = BucketWord.spans(fixedRate, now - segment.base) ? now - segment.base : 0;
    long fullAt = BucketWord.instant(fixedRate, elapsed) + debt;
    int placed = segment.add(key, fixedRate, BucketWord.word(fullAt));
    // With the key in it: a request that only looks takes a missing key for a full bucket.
    segments.set(index, segment);
    return placed;
  }

  /** What a bucket under another limit owes, in units of {@code fixedRate}: at most its burst. */
  long carried(Segment segment, int i, long word, long now, FixedPointRate fixedRate) {
    return Math.min(
        fixedRate.burst(), fixedRate.carry(segment.paceAt(i), debt(segment, i, word, now)));
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
   * Replaces a segment by one with room, without the buckets that have been full for a while. Only
   * under its lock.
   */
  private void rebuild(int index, FixedPointRate fixedRate, long graceNanos) {
    segments.set(index, rebuilt(index, fixedRate, false, graceNanos));
  }

  /** The same, to be put in the old one's place by the caller. */
  private Segment rebuilt(int index, FixedPointRate fixedRate, boolean forForms, long graceNanos) {
    Segment old = segments.get(index);
    long[] owed = new long[old.slots()];
    for (int n = 0; n < owed.length; n++) {
      owed[n] = old.retire(Segment.slot(n), order);
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
        int i = Segment.slot(n);
        MultiLimitBucket forms = old.formsAt(i);
        long owes = forms == null ? owes(old, i, word, now) : dropIfFull(old, i, forms, now);
        if (owes > leastKept(old.paceAt(i), graceNanos)) {
          owed[n] = owes;
          kept++;
          mixed |= !old.isAt(i, fixedRate);
        } else {
          dropped++;
        }
      }
    }
    Segment fresh =
        new Segment(Math.max(kept + 1, old == segments.none() ? 1 : FEW), now, fixedRate, mixed);
    for (int n = 0; n < owed.length; n++) {
      if (owed[n] != GONE) {
        move(old, Segment.slot(n), owed[n], fresh);
      }
    }
    size.addAndGet(-dropped);
    budget.giveBack(dropped);
    return fresh;
  }

  private static void move(Segment old, int i, long owed, Segment fresh) {
    FixedPointRate own = old.paceAt(i);
    MultiLimitBucket forms = old.formsAt(i);
    int placed =
        forms == null
            ? fresh.add(old.keyAt(i), own, BucketWord.word(BucketWord.instant(own, 0) + owed))
            : fresh.add(old.keyAt(i), forms);
    if (old.deniedAt(i) && owed > 0) {
      fresh.deny(placed);
    }
  }

  /**
   * {@link BucketWord#LONG_FULL} of a bucket that is full under all its limits, and 1 of others.
   */
  private long dropIfFull(Segment segment, int i, MultiLimitBucket forms, long now) {
    ReentrantLock lock = KeyLock.of(order, segment.keyAt(i).high());
    lock.lock();
    try {
      if (forms.isFull(now, reach.get())) {
        forms.drop();
        return BucketWord.LONG_FULL;
      }
      return 1;
    } finally {
      lock.unlock();
    }
  }

  /** A full bucket is no bucket, but one used within this time is likely to be used again. */
  private static long leastKept(FixedPointRate fixedRate, long graceNanos) {
    return -graceNanos * fixedRate.unitsPerTick();
  }

  @Override
  long busyNanos() {
    long longest = 0;
    for (int index = 0; index < segments.length(); index++) {
      Segment segment = segments.get(index);
      for (int n = 0; n < segment.slots(); n++) {
        int i = Segment.slot(n);
        long word = (long) WORDS.getAcquire(segment.words, i);
        if (word != EMPTY && word != RETIRED) {
          longest = Math.max(longest, busyNanos(segment, i, word));
        }
      }
    }
    return longest;
  }

  private long busyNanos(Segment segment, int i, long word) {
    MultiLimitBucket forms = segment.formsAt(i);
    if (forms == null) {
      return segment.paceAt(i).ticks(debt(segment, i, word, clock.nanos()));
    }
    ReentrantLock lock = KeyLock.of(order, segment.words[i + 1]);
    lock.lock();
    try {
      return forms.busyTicks(clock.nanos(), reach.get());
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

  private long owes(Segment segment, int i, long word, long now) {
    FixedPointRate fixedRate = segment.paceAt(i);
    return BucketWord.owes(word, fixedRate, now - segment.base, fixedRate.ceiling(reach.get()));
  }

  private long debt(Segment segment, int i, long word, long now) {
    return Math.max(0, owes(segment, i, word, now));
  }

  @Override
  boolean evict(EvictionGuard spare) {
    long now = clock.nanos();
    VictimSearch victim = new VictimSearch(spare);
    long first = turn.getAndIncrement();
    for (int n = 0; n < segments.length() && !victim.settled(); n++) {
      int index = (int) Math.floorMod(first + n, (long) segments.length());
      Segment segment = segments.get(index);
      int slots = segment.slots();
      int start = (int) Math.floorMod(first * 0x9e37_79b9L, (long) slots);
      for (int k = 0; k < slots && !victim.settled(); k++) {
        int i = Segment.slot((start + k) % slots);
        long word = (long) WORDS.getAcquire(segment.words, i);
        if (word != EMPTY && (word & HELD) == 0) {
          consider(victim, segment, index, i, word, now);
        }
      }
    }
    return victim.found() && remove(victim);
  }

  private void consider(
      VictimSearch victim, Segment segment, int index, int i, long word, long now) {
    if (Pins.has(order, segment.words[i + 1], segment.words[i + 2])) {
      return;
    }
    MultiLimitBucket forms = segment.formsAt(i);
    if (forms == null) {
      victim.consider(segment, index, i, word, debt(segment, i, word, now));
      return;
    }
    ReentrantLock lock = KeyLock.of(order, segment.keyAt(i).high());
    if (lock.tryLock()) {
      try {
        double share = forms.missingShare(now, reach.get());
        long missing = forms.missingThousandths(now, reach.get());
        boolean spent = forms.isSpent(now, reach.get());
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
    MultiLimitBucket forms = segment.formsAt(i);
    if (forms == null) {
      return segment.evict(i, word);
    }
    ReentrantLock lock = KeyLock.of(order, segment.keyAt(i).high());
    if (!lock.tryLock()) {
      return false;
    }
    try {
      boolean evicted = segment.evict(i, word);
      if (evicted) {
        forms.drop();
      }
      return evicted;
    } finally {
      lock.unlock();
    }
  }

  /** Gives back the memory of a segment from which most has been evicted, if nobody is at it. */
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
    return SegmentDirectory.lock(order, index);
  }
}
