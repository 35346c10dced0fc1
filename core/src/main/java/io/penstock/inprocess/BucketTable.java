package io.penstock.inprocess;

import static io.penstock.inprocess.BucketWord.HELD;
import static io.penstock.inprocess.BucketWord.WORDS;

import io.penstock.NanoClock;
import io.penstock.algorithm.FixedPointRate;
import io.penstock.inprocess.HotKeys.HotKey;
import io.penstock.inprocess.SipHash.Hash;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Token buckets by key. Thread-safe; a request for a known key takes no lock and allocates nothing.
 *
 * <p>Nobody is denied by a clock that was read before the state: then a denial holds at the very
 * instant of the clock, however late the thread gets to run, and only a clock that really stepped
 * back can show a state from the future. To allow by an older clock is safe: who takes at an
 * instant when the tokens are there, in whatever order, never takes more than the limit.
 *
 * <p>Outcomes are a debt in units of the pace: what is missing afterwards or, of a denial, the
 * bitwise complement of what is missing. Debts are never negative, so the sign tells them apart.
 */
final class BucketTable implements SipHash.HashFunction<FixedPointRate> {
  /** No outcome is this. */
  private static final long AGAIN = Long.MIN_VALUE;

  /** A cost that fills every bucket. */
  private static final long RESET = -FixedPointRate.MAX_DEBT;

  private final NanoClock clock;
  private final SipHash hash;
  private final SegmentTable segments;
  private final HotKeys hotKeys = new HotKeys();

  /** The hash of the empty key, by which the one bucket for everybody goes. */
  private final Hash whole;

  BucketTable(NanoClock clock, SipHash hash, SegmentTable segments) {
    this.clock = clock;
    this.hash = hash;
    this.segments = segments;
    this.whole = hash.of("");
  }

  SegmentTable segments() {
    return segments;
  }

  ActiveLimits<FixedPointRate> activeLimits() {
    return segments.activeLimits();
  }

  /**
   * Takes {@code cost} units if the debt stays within {@code most}, which is not negative; a cost
   * of 0 changes nothing.
   */
  long take(String key, FixedPointRate fixedRate, long cost, long most) {
    if (key.isEmpty()) {
      return apply(whole.high(), whole.low(), fixedRate, cost, most);
    }
    HotKey hot = hotKeys.find(key);
    if (hot != null) {
      return apply(hot.high, hot.low, fixedRate, cost, most);
    }
    long outcome = hash.then(this, key, fixedRate, cost, most);
    if (HotKeys.isSample(outcome)) {
      hotKeys.sample(hash, key);
    }
    return outcome;
  }

  /** Adds {@code thousandths} of a token to the debt, as far as a bucket can go. */
  void charge(String key, FixedPointRate fixedRate, long thousandths) {
    hash.then(this, key, fixedRate, fixedRate.units(thousandths), forced(thousandths));
  }

  /** Takes {@code thousandths} of a token off the debt, down to a full bucket. */
  void refund(String key, FixedPointRate fixedRate, long thousandths) {
    hash.then(this, key, fixedRate, -fixedRate.units(thousandths), forced(thousandths));
  }

  /** Fills a bucket. */
  void reset(String key, FixedPointRate fixedRate) {
    hash.then(this, key, fixedRate, RESET, forced(0));
  }

  /**
   * In place of the largest debt at which a request passes: it always does. Carries the amount for
   * other limits on the same bucket, whose units may be larger: in units of this one it is cut.
   */
  private static long forced(long thousandths) {
    return ~thousandths;
  }

  private static boolean isForced(long most) {
    return most < 0;
  }

  @Override
  public long apply(long high, long low, FixedPointRate fixedRate, long cost, long most) {
    Segment likely = segments.of(high);
    if (cost > 0 && !isForced(most) && !likely.denies()) {
      long taken = takeAtOnce(likely, high, low, fixedRate, cost, most);
      if (taken != AGAIN) {
        return taken;
      }
    }
    for (int spins = 0; ; spins++) {
      Segment segment = segments.of(high);
      int i = segment.find(high, low);
      long outcome;
      if (i < 0 || !segment.isAt(i, fixedRate)) {
        outcome = elsewhere(segment, i, high, low, fixedRate, cost, most);
      } else if (BucketWord.isHeld((long) WORDS.getAcquire(segment.words, i))) {
        outcome = KeyLock.spin(spins) ? AGAIN : underLock(segment, i, fixedRate, cost, most);
      } else {
        outcome = attempt(segment, i, fixedRate, cost, most);
      }
      if (outcome != AGAIN) {
        return outcome;
      }
      if (!BucketWord.spans(fixedRate, clock.nanos() - segment.base)) {
        segments.rebase(high, fixedRate);
      }
    }
  }

  /** Decides a request for a key that has no slot under this limit alone. */
  private long elsewhere(
      Segment segment, int i, long high, long low, FixedPointRate fixedRate, long cost, long most) {
    if (i == Segment.ABSENT && cost <= 0) {
      return 0;
    }
    MultiLimitBucket forms = i < 0 ? null : segment.formsAt(i);
    if (forms != null) {
      return decide(forms, segment, i, fixedRate, cost, most);
    }
    long settled = segments.settle(high, low, fixedRate, cost, most, cost > 0);
    return settled == SegmentTable.READY ? AGAIN : settled;
  }

  /** Decides a request whose slot is held all the time, in its turn. */
  private long underLock(Segment segment, int i, FixedPointRate fixedRate, long cost, long most) {
    ReentrantLock lock = KeyLock.of(segments.order(), segment.words[i + 1]);
    lock.lock();
    try {
      return attempt(segment, i, fixedRate, cost, most);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Decides a request at its slot; {@link #AGAIN} if the slot changed meanwhile and the caller has
   * to look again.
   */
  private long attempt(Segment segment, int i, FixedPointRate fixedRate, long cost, long most) {
    boolean forced = isForced(most);
    while (true) {
      long word = (long) WORDS.getAcquire(segment.words, i);
      if ((word & HELD) != 0) {
        return AGAIN;
      }
      long elapsed = clock.nanos() - segment.base;
      if (!BucketWord.spans(fixedRate, elapsed)) {
        return AGAIN;
      }
      long now = BucketWord.instant(fixedRate, elapsed);
      long debt = Math.max(0, BucketWord.fullAt(word) - now);
      boolean sound = debt <= fixedRate.burst() || debt <= fixedRate.ceiling(segments.reach());
      if (!sound) {
        debt = fixedRate.ceiling(segments.reach());
      }
      long next = forced ? forced(fixedRate, debt, cost) : debt + cost;
      boolean denied = !forced && next > most;
      if (denied) {
        next = debt;
      } else if (next > fixedRate.burst()) {
        segments.extendReach(fixedRate.ticks(next - fixedRate.burst()));
      }
      if (cost > 0) {
        segment.expect(denied);
        if (denied) {
          segment.deny(i);
        }
      }
      boolean unchanged = cost == 0 || (sound && next == debt);
      if (unchanged || WORDS.compareAndSet(segment.words, i, word, BucketWord.word(now + next))) {
        return denied ? ~debt : next;
      }
    }
  }

  /** Decides a request for a key that is asked under several limits. */
  private long decide(
      MultiLimitBucket forms,
      Segment segment,
      int i,
      FixedPointRate fixedRate,
      long cost,
      long most) {
    ReentrantLock lock = KeyLock.of(segments.order(), segment.words[i + 1]);
    lock.lock();
    try {
      if (forms.isDropped()) {
        return AGAIN;
      }
      long now = clock.nanos();
      if (cost == 0) {
        long debt = forms.debt(fixedRate, now, segments.reach());
        return debt > most ? ~debt : debt;
      }
      if (cost == RESET) {
        forms.fill(now);
        return 0;
      }
      forms.settle(fixedRate, now, segments.reach(), segments.activeLimits());
      long debt = forms.debt(fixedRate, now, segments.reach());
      boolean forced = isForced(most);
      long next = forced ? forced(fixedRate, debt, cost) : debt + cost;
      if (!forced && next > most) {
        forms.clamp(fixedRate, now, segments.reach());
        segment.deny(i);
        return ~debt;
      }
      segments.extendReach(fixedRate.ticks(next - fixedRate.burst()));
      long amount = forced ? ~most : cost / fixedRate.unitsPerThousandth();
      forms.move(fixedRate, now, next, cost < 0 ? -amount : amount, segments.reach());
      return next;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Takes what is there by a clock read beforehand, so that hardly any time passes between reading
   * the state and the compare-and-set: on a hot key that is what decides how often it fails.
   */
  private long takeAtOnce(
      Segment segment, long high, long low, FixedPointRate fixedRate, long cost, long most) {
    long elapsed = clock.nanos() - segment.base;
    int i = segment.find(high, low);
    if (i < 0 || !segment.isAt(i, fixedRate) || !BucketWord.spans(fixedRate, elapsed)) {
      return AGAIN;
    }
    long now = BucketWord.instant(fixedRate, elapsed);
    while (true) {
      long word = (long) WORDS.getAcquire(segment.words, i);
      long debt = Math.max(0, BucketWord.fullAt(word) - now);
      long next = debt + cost;
      if ((word & HELD) != 0 || next > most || debt > fixedRate.burst()) {
        return AGAIN;
      }
      if (next > fixedRate.burst()) {
        segments.extendReach(fixedRate.ticks(next - fixedRate.burst()));
      }
      if (WORDS.compareAndSet(segment.words, i, word, BucketWord.word(now + next))) {
        return next;
      }
    }
  }

  private static long forced(FixedPointRate fixedRate, long debt, long cost) {
    return cost > 0 ? fixedRate.charged(debt, cost) : Math.max(0, debt + cost);
  }

  void identify(HeldBucket hold) {
    hold.identify(hash);
  }

  /** Holds a bucket. Only under the lock of its key, so nobody else holds it. */
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
      MultiLimitBucket forms = segment.formsAt(i);
      hold.segment = segment;
      hold.slot = i;
      hold.forms = forms;
      if (forms != null) {
        return !forms.isDropped();
      }
      if (changes && !segment.isAt(i, fixedRate)) {
        return false;
      }
      long word = (long) WORDS.getAcquire(segment.words, i);
      if ((word & HELD) == 0 && WORDS.compareAndSet(segment.words, i, word, word | HELD)) {
        hold.word = word;
        hold.unchanged = word;
        return true;
      }
    }
  }

  /** Whether the request may take something, so that the bucket has to be there for that. */
  private static boolean changes(HeldBucket hold, FixedPointRate fixedRate) {
    return !hold.looks && fixedRate.holds(hold.cost);
  }

  void prepare(HeldBucket hold, FixedPointRate fixedRate) {
    boolean changes = changes(hold, fixedRate);
    hold.absent = !changes && segments.lacks(hold.high, hold.low);
    if (changes) {
      segments.settle(
          hold.high, hold.low, fixedRate, fixedRate.units(hold.cost), fixedRate.burst(), true);
    }
    segments.rebase(hold.high, fixedRate);
  }

  /** Judges a held bucket: {@code most} is the debt up to which the request passes. */
  boolean judge(HeldBucket hold, FixedPointRate fixedRate, long most) {
    if (!find(hold, fixedRate)) {
      return false;
    }
    hold.after = hold.before + fixedRate.units(hold.cost);
    hold.allowed = fixedRate.holds(hold.cost) && hold.after <= most;
    if (!hold.allowed && changes(hold, fixedRate) && hold.segment != null) {
      hold.segment.deny(hold.slot);
    }
    return true;
  }

  /** Notes what a held bucket owes; false if its segment can't tell by this clock. */
  private boolean find(HeldBucket hold, FixedPointRate fixedRate) {
    Segment segment = hold.segment;
    if (segment == null) {
      hold.before = 0;
      return true;
    }
    long nanos = clock.nanos();
    boolean changes = changes(hold, fixedRate);
    MultiLimitBucket forms = hold.forms;
    if (forms != null) {
      if (changes) {
        forms.settle(fixedRate, nanos, segments.reach(), segments.activeLimits());
        forms.clamp(fixedRate, nanos, segments.reach());
      }
      hold.now = nanos;
      hold.before = forms.debt(fixedRate, nanos, segments.reach());
      return true;
    }
    if (!segment.isAt(hold.slot, fixedRate)) {
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
    MultiLimitBucket forms = hold.forms;
    if (forms == null) {
      long word = moves ? BucketWord.word(hold.now + hold.after) : hold.unchanged;
      WORDS.setRelease(segment.words, hold.slot, word);
    } else if (moves) {
      forms.move(fixedRate, hold.now, hold.after, hold.cost, segments.reach());
    }
    hold.segment = null;
    hold.forms = null;
  }
}
