package io.penstock.inprocess;

import static io.penstock.inprocess.BucketWord.HELD;
import static io.penstock.inprocess.BucketWord.WORDS;

import io.penstock.NanoClock;
import io.penstock.algorithm.FixedPointRate;
import io.penstock.inprocess.HotKeys.CachedKey;
import io.penstock.inprocess.SipHash.Hash;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Token buckets by key. Thread-safe. A request for a known key takes no lock and allocates nothing.
 *
 * <p>Before a denial, the clock is read after the state. So the denial is correct at the time that
 * was read, even if the thread is suspended in between, and a state from the future can only be
 * caused by a clock that stepped back. A grant may use an older clock value: if each request takes
 * its tokens at a time at which they are available, all requests together never take more than the
 * limit allows, in whatever order they run.
 *
 * <p>Methods return the outcome of a request as one {@code long}, to avoid an allocation: for a
 * grant, the debt afterwards, in units of the rate; for a denial, the bitwise complement of the
 * current debt. Debts are never negative, so a negative outcome is a denial.
 */
final class BucketTable implements SipHash.HashFunction<FixedPointRate> {
  /** Not an outcome: the caller has to retry. */
  private static final long RETRY = Long.MIN_VALUE;

  /**
   * A value for the maximum debt that stands for the burst. It also states that the caller doesn't
   * need the debt afterwards, so that the tokens may come from {@link Stripes}.
   */
  private static final long BURST = Long.MAX_VALUE;

  /** A cost that fills any bucket. */
  private static final long RESET = -FixedPointRate.MAX_DEBT;

  private final NanoClock clock;
  private final SipHash hash;
  private final SegmentTable segments;
  private final Striping striping;
  private final HotKeys hotKeys = new HotKeys();

  /** The hash of the empty key, which identifies the global bucket. */
  private final Hash globalKey;

  BucketTable(NanoClock clock, SipHash hash, SegmentTable segments, Striping striping) {
    this.clock = clock;
    this.hash = hash;
    this.segments = segments;
    this.striping = striping;
    this.globalKey = hash.of("");
  }

  SegmentTable segments() {
    return segments;
  }

  ActiveLimits<FixedPointRate> activeLimits() {
    return segments.activeLimits();
  }

  /** Takes {@code cost} units if the debt afterwards is at most the burst. */
  boolean tryTake(String key, FixedPointRate fixedRate, long cost) {
    return take(key, fixedRate, cost, cost == 0 ? fixedRate.burst() : BURST) >= 0;
  }

  /**
   * Takes {@code cost} units if the debt afterwards is at most {@code maxDebt}, which is not
   * negative. A cost of 0 changes nothing.
   */
  long take(String key, FixedPointRate fixedRate, long cost, long maxDebt) {
    if (key.isEmpty()) {
      return apply(globalKey.high(), globalKey.low(), fixedRate, cost, maxDebt);
    }
    CachedKey hot = hotKeys.find(key);
    if (hot != null) {
      return apply(hot.high, hot.low, fixedRate, cost, maxDebt);
    }
    long outcome = hash.then(this, key, fixedRate, cost, maxDebt);
    if (HotKeys.isSample(outcome)) {
      hotKeys.sample(hash, key);
    }
    return outcome;
  }

  /** Adds {@code thousandths} of a token to the debt, up to the maximum debt. */
  void charge(String key, FixedPointRate fixedRate, long thousandths) {
    hash.then(this, key, fixedRate, fixedRate.units(thousandths), forced(thousandths));
  }

  /** Subtracts {@code thousandths} of a token from the debt, down to a full bucket. */
  void refund(String key, FixedPointRate fixedRate, long thousandths) {
    hash.then(this, key, fixedRate, -fixedRate.units(thousandths), forced(thousandths));
  }

  /** Fills a bucket. */
  void reset(String key, FixedPointRate fixedRate) {
    hash.then(this, key, fixedRate, RESET, forced(0));
  }

  /**
   * Encodes an unconditional request in place of the maximum debt. Carries the amount in
   * thousandths for other limits on the same bucket, because the amount in units of this limit may
   * be clamped.
   */
  private static long forced(long thousandths) {
    return ~thousandths;
  }

  private static boolean isForced(long maxDebt) {
    return maxDebt < 0;
  }

  @Override
  public long apply(long high, long low, FixedPointRate fixedRate, long cost, long maxDebt) {
    Segment likely = segments.of(high);
    if (maxDebt == BURST && likely.hasStripes()) {
      long taken = takeFromStripes(likely, high, low, fixedRate, cost);
      if (taken >= 0) {
        return taken;
      }
    }
    if (cost > 0 && !isForced(maxDebt) && !likely.mostlyDenies()) {
      long taken = takeByEarlierClock(likely, high, low, fixedRate, cost, maxDebt);
      if (taken != RETRY) {
        return taken;
      }
    }
    long limit = maxDebt == BURST ? fixedRate.burst() : maxDebt;
    return decide(high, low, fixedRate, cost, limit);
  }

  private long decide(long high, long low, FixedPointRate fixedRate, long cost, long maxDebt) {
    for (int spins = 0; ; spins++) {
      Segment segment = segments.of(high);
      int i = segment.find(high, low);
      long outcome;
      if (i < 0 || !segment.hasOnlyLimit(i, fixedRate)) {
        outcome = applyWithoutSlot(segment, i, high, low, fixedRate, cost, maxDebt);
      } else if (BucketWord.isHeld((long) WORDS.getAcquire(segment.words, i))) {
        boolean spin = !segment.hasStripes() && KeyLock.spin(spins);
        outcome = spin ? RETRY : underLock(segment, i, fixedRate, cost, maxDebt);
      } else {
        outcome = attempt(segment, i, fixedRate, cost, maxDebt);
      }
      if (outcome != RETRY) {
        return outcome;
      }
      if (!BucketWord.spans(fixedRate, clock.nanos() - segment.base)) {
        segments.rebase(high, fixedRate);
      }
    }
  }

  /** Decides a request for a key that has no slot with this limit as its only one. */
  private long applyWithoutSlot(
      Segment segment,
      int i,
      long high,
      long low,
      FixedPointRate fixedRate,
      long cost,
      long maxDebt) {
    if (i == Segment.ABSENT && cost <= 0) {
      return 0;
    }
    MultiLimitBucket multiLimit = i < 0 ? null : segment.multiLimitAt(i);
    if (multiLimit != null) {
      return decide(multiLimit, segment, i, fixedRate, cost, maxDebt);
    }
    long result = segments.ensureSlot(high, low, fixedRate, cost, maxDebt, cost > 0);
    return result == SegmentTable.READY ? RETRY : result;
  }

  /** Decides a request whose slot stays held, after waiting for the lock of the key. */
  private long underLock(
      Segment segment, int i, FixedPointRate fixedRate, long cost, long maxDebt) {
    ReentrantLock lock = KeyLock.of(segments.tableNumber(), segment.words[i + 1]);
    lock.lock();
    try {
      segment.closeStripes(i);
      return attempt(segment, i, fixedRate, cost, maxDebt);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Decides a request at its slot, with the tokens that have been refilled until now. Returns
   * {@link #RETRY} if the slot is held or retired, or the clock is out of range, and the caller has
   * to look up the key again.
   */
  private long attempt(Segment segment, int i, FixedPointRate fixedRate, long cost, long maxDebt) {
    boolean forced = isForced(maxDebt);
    while (true) {
      long word = (long) WORDS.getAcquire(segment.words, i);
      if ((word & HELD) != 0) {
        return RETRY;
      }
      long elapsed = clock.nanos() - segment.base;
      if (!BucketWord.spans(fixedRate, elapsed)) {
        return RETRY;
      }
      long now = BucketWord.instant(fixedRate, elapsed);
      long debt = Math.max(0, BucketWord.fullAt(word) - now);
      boolean valid = debt <= fixedRate.burst() || debt <= fixedRate.ceiling(segments.reach());
      if (!valid) {
        debt = fixedRate.ceiling(segments.reach());
      }
      long next = forced ? forced(fixedRate, debt, cost) : debt + cost;
      boolean denied = !forced && next > maxDebt;
      if (denied) {
        next = debt;
      } else if (next > fixedRate.burst()) {
        segments.extendReach(fixedRate.ticks(next - fixedRate.burst()));
      }
      if (cost > 0) {
        segment.recordOutcome(denied);
        if (denied) {
          segment.markDenied(i);
        }
      }
      boolean unchanged = cost == 0 || (valid && next == debt);
      if (unchanged || WORDS.compareAndSet(segment.words, i, word, BucketWord.word(now + next))) {
        return denied ? ~debt : next;
      }
    }
  }

  /** Decides a request for a key that is used under several limits. */
  private long decide(
      MultiLimitBucket multiLimit,
      Segment segment,
      int i,
      FixedPointRate fixedRate,
      long cost,
      long maxDebt) {
    ReentrantLock lock = KeyLock.of(segments.tableNumber(), segment.words[i + 1]);
    lock.lock();
    try {
      if (multiLimit.isDropped()) {
        return RETRY;
      }
      long now = clock.nanos();
      if (cost == 0) {
        long debt = multiLimit.debt(fixedRate, now, segments.reach());
        return debt > maxDebt ? ~debt : debt;
      }
      if (cost == RESET) {
        multiLimit.fill(now);
        return 0;
      }
      multiLimit.updateLimits(fixedRate, now, segments.reach(), segments.activeLimits());
      long debt = multiLimit.debt(fixedRate, now, segments.reach());
      boolean forced = isForced(maxDebt);
      long next = forced ? forced(fixedRate, debt, cost) : debt + cost;
      if (!forced && next > maxDebt) {
        multiLimit.clamp(fixedRate, now, segments.reach());
        segment.markDenied(i);
        return ~debt;
      }
      segments.extendReach(fixedRate.ticks(next - fixedRate.burst()));
      long amount = forced ? ~maxDebt : cost / fixedRate.unitsPerThousandth();
      multiLimit.move(fixedRate, now, next, cost < 0 ? -amount : amount, segments.reach());
      return next;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Takes tokens based on a clock value that is read before the state. This keeps the time between
   * reading the state and the compare-and-set short, which on a hot key determines how often the
   * latter fails.
   */
  private long takeByEarlierClock(
      Segment segment, long high, long low, FixedPointRate fixedRate, long cost, long maxDebt) {
    long elapsed = clock.nanos() - segment.base;
    int i = segment.find(high, low);
    if (i < 0 || !segment.hasOnlyLimit(i, fixedRate) || !BucketWord.spans(fixedRate, elapsed)) {
      return RETRY;
    }
    long now = BucketWord.instant(fixedRate, elapsed);
    long limit = maxDebt == BURST ? fixedRate.burst() : maxDebt;
    for (int lostRaces = 0; ; lostRaces++) {
      long word = (long) WORDS.getAcquire(segment.words, i);
      long debt = Math.max(0, BucketWord.fullAt(word) - now);
      long next = debt + cost;
      if ((word & HELD) != 0 || next > limit || debt > fixedRate.burst()) {
        return RETRY;
      }
      if (next > fixedRate.burst()) {
        segments.extendReach(fixedRate.ticks(next - fixedRate.burst()));
      }
      if (WORDS.compareAndSet(segment.words, i, word, BucketWord.word(now + next))) {
        if (maxDebt == BURST && lostRaces >= striping.lostRaces()) {
          openStripes(segment, i, now, cost);
        }
        return next;
      }
    }
  }

  /** Takes tokens from the stripes of a bucket; negative if it has none or they can't be used. */
  private long takeFromStripes(
      Segment segment, long high, long low, FixedPointRate fixedRate, long cost) {
    int i = segment.find(high, low);
    if (i < 0 || !segment.hasOnlyLimit(i, fixedRate)) {
      return RETRY;
    }
    Stripes stripes = segment.stripesAt(i);
    if (stripes == null || !stripes.isOpen()) {
      return RETRY;
    }
    long elapsed = clock.nanos() - segment.base;
    if (!BucketWord.spans(fixedRate, elapsed)) {
      return RETRY;
    }
    long now = BucketWord.instant(fixedRate, elapsed);
    long taken = stripes.tryTake(now, cost);
    if (taken >= 0) {
      return taken;
    }
    ReentrantLock lock = KeyLock.of(segments.tableNumber(), high);
    lock.lock();
    try {
      return stripes.refill(segment.words, now, cost) ? stripes.tryTake(now, cost) : RETRY;
    } finally {
      lock.unlock();
    }
  }

  /** Opens the stripes of a contended bucket, unless another thread has the lock of the key. */
  private void openStripes(Segment segment, int i, long now, long cost) {
    ReentrantLock lock = KeyLock.of(segments.tableNumber(), segment.words[i + 1]);
    if (lock.tryLock()) {
      try {
        Stripes stripes = segment.ensureStripes(i, striping);
        if (stripes != null) {
          stripes.open(segment.words, now, cost);
        }
      } finally {
        lock.unlock();
      }
    }
  }

  private static long forced(FixedPointRate fixedRate, long debt, long cost) {
    return cost > 0 ? fixedRate.charged(debt, cost) : Math.max(0, debt + cost);
  }

  void identify(HeldBucket hold) {
    hold.identify(hash);
  }

  /** Holds a bucket. The caller has the lock of the key, so no other thread holds the bucket. */
  boolean hold(HeldBucket hold, FixedPointRate fixedRate) {
    boolean changes = changes(hold, fixedRate);
    while (true) {
      Segment segment = segments.of(hold.high);
      int i = segment.find(hold.high, hold.low);
      if (!changes && (i == Segment.ABSENT || (i < 0 && hold.absent))) {
        hold.segment = null;
        return true;
      }
      if (i < 0) {
        return false;
      }
      MultiLimitBucket multiLimit = segment.multiLimitAt(i);
      hold.segment = segment;
      hold.slot = i;
      hold.multiLimit = multiLimit;
      if (multiLimit != null) {
        return !multiLimit.isDropped();
      }
      if (changes && !segment.hasOnlyLimit(i, fixedRate)) {
        return false;
      }
      segment.closeStripes(i);
      long word = (long) WORDS.getAcquire(segment.words, i);
      if ((word & HELD) == 0 && WORDS.compareAndSet(segment.words, i, word, word | HELD)) {
        hold.word = word;
        hold.unchanged = word;
        return true;
      }
    }
  }

  /** Whether the request may take tokens, so that its bucket has to exist. */
  private static boolean changes(HeldBucket hold, FixedPointRate fixedRate) {
    return !hold.readOnly && fixedRate.isWithinBurst(hold.cost);
  }

  void prepare(HeldBucket hold, FixedPointRate fixedRate) {
    boolean changes = changes(hold, fixedRate);
    hold.absent = !changes && segments.isAbsent(hold.high, hold.low);
    if (changes) {
      segments.ensureSlot(
          hold.high, hold.low, fixedRate, fixedRate.units(hold.cost), fixedRate.burst(), true);
    }
    segments.rebase(hold.high, fixedRate);
  }

  /** Evaluates a held bucket; {@code maxDebt} is the debt up to which the request is allowed. */
  boolean evaluate(HeldBucket hold, FixedPointRate fixedRate, long maxDebt) {
    if (!readDebt(hold, fixedRate)) {
      return false;
    }
    hold.after = hold.before + fixedRate.units(hold.cost);
    hold.allowed = fixedRate.isWithinBurst(hold.cost) && hold.after <= maxDebt;
    if (!hold.allowed && changes(hold, fixedRate) && hold.segment != null) {
      hold.segment.markDenied(hold.slot);
    }
    return true;
  }

  /** Reads the debt of a held bucket; false if the time is out of range of its segment. */
  private boolean readDebt(HeldBucket hold, FixedPointRate fixedRate) {
    Segment segment = hold.segment;
    if (segment == null) {
      hold.before = 0;
      return true;
    }
    long nanos = clock.nanos();
    boolean changes = changes(hold, fixedRate);
    MultiLimitBucket multiLimit = hold.multiLimit;
    if (multiLimit != null) {
      if (changes) {
        multiLimit.updateLimits(fixedRate, nanos, segments.reach(), segments.activeLimits());
        multiLimit.clamp(fixedRate, nanos, segments.reach());
      }
      hold.now = nanos;
      hold.before = multiLimit.debt(fixedRate, nanos, segments.reach());
      return true;
    }
    if (!segment.hasOnlyLimit(hold.slot, fixedRate)) {
      hold.before = segments.carried(segment, hold.slot, hold.word, nanos, fixedRate);
      return true;
    }
    if (!BucketWord.spans(fixedRate, nanos - segment.base)) {
      return false;
    }
    hold.now = BucketWord.instant(fixedRate, nanos - segment.base);
    hold.before = Math.max(0, BucketWord.fullAt(hold.word) - hold.now);
    if (hold.before > fixedRate.burst()) {
      long ceiling = fixedRate.ceiling(segments.reach());
      if (hold.before > ceiling) {
        hold.before = ceiling;
        if (changes) {
          hold.unchanged = BucketWord.word(hold.now + ceiling);
        }
      }
    }
    return true;
  }

  void release(HeldBucket hold, FixedPointRate fixedRate, boolean take) {
    Segment segment = hold.segment;
    if (segment == null) {
      return;
    }
    boolean moves = take && hold.cost > 0;
    if (moves && hold.after > fixedRate.burst()) {
      segments.extendReach(fixedRate.ticks(hold.after - fixedRate.burst()));
    }
    MultiLimitBucket multiLimit = hold.multiLimit;
    if (multiLimit == null) {
      long word = moves ? BucketWord.word(hold.now + hold.after) : hold.unchanged;
      WORDS.setRelease(segment.words, hold.slot, word);
    } else if (moves) {
      multiLimit.move(fixedRate, hold.now, hold.after, hold.cost, segments.reach());
    }
    hold.segment = null;
    hold.multiLimit = null;
  }
}
