package io.penstock.inprocess;

import static io.penstock.inprocess.Slot.HELD;
import static io.penstock.inprocess.Slot.WORDS;

import io.penstock.NanoClock;
import io.penstock.algorithm.Pace;
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
final class BucketTable implements SipHash.Then<Pace> {
  /** No outcome is this. */
  private static final long AGAIN = Long.MIN_VALUE;

  /** A cost that fills every bucket. */
  private static final long RESET = -Pace.MOST_DEBT;

  private final NanoClock clock;
  private final SipHash hash;
  private final Chunks chunks;
  private final HotKeys hotKeys = new HotKeys();

  /** The hash of the empty key, by which the one bucket for everybody goes. */
  private final Hash whole;

  BucketTable(NanoClock clock, SipHash hash, Chunks chunks) {
    this.clock = clock;
    this.hash = hash;
    this.chunks = chunks;
    this.whole = hash.of("");
  }

  Chunks chunks() {
    return chunks;
  }

  InForce<Pace> inForce() {
    return chunks.inForce();
  }

  /**
   * Takes {@code cost} units if the debt stays within {@code most}, which is not negative; a cost
   * of 0 changes nothing.
   */
  long take(String key, Pace pace, long cost, long most) {
    if (key.isEmpty()) {
      return apply(whole.high(), whole.low(), pace, cost, most);
    }
    HotKey hot = hotKeys.find(key);
    if (hot != null) {
      return apply(hot.high, hot.low, pace, cost, most);
    }
    long outcome = hash.then(this, key, pace, cost, most);
    if (HotKeys.isSample(outcome)) {
      hotKeys.sample(hash, key);
    }
    return outcome;
  }

  /** Adds {@code thousandths} of a token to the debt, as far as a bucket can go. */
  void charge(String key, Pace pace, long thousandths) {
    hash.then(this, key, pace, pace.units(thousandths), forced(thousandths));
  }

  /** Takes {@code thousandths} of a token off the debt, down to a full bucket. */
  void refund(String key, Pace pace, long thousandths) {
    hash.then(this, key, pace, -pace.units(thousandths), forced(thousandths));
  }

  /** Fills a bucket. */
  void reset(String key, Pace pace) {
    hash.then(this, key, pace, RESET, forced(0));
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
  public long apply(long high, long low, Pace pace, long cost, long most) {
    Chunk likely = chunks.of(high);
    if (cost > 0 && !isForced(most) && !likely.denies()) {
      long taken = takeAtOnce(likely, high, low, pace, cost, most);
      if (taken != AGAIN) {
        return taken;
      }
    }
    for (int spins = 0; ; spins++) {
      Chunk chunk = chunks.of(high);
      int i = chunk.find(high, low);
      long outcome;
      if (i < 0 || !chunk.isAt(i, pace)) {
        outcome = elsewhere(chunk, i, high, low, pace, cost, most);
      } else if (Slot.isHeld((long) WORDS.getAcquire(chunk.words, i))) {
        outcome = KeyLock.spin(spins) ? AGAIN : underLock(chunk, i, pace, cost, most);
      } else {
        outcome = attempt(chunk, i, pace, cost, most);
      }
      if (outcome != AGAIN) {
        return outcome;
      }
      if (!Slot.spans(pace, clock.nanos() - chunk.base)) {
        chunks.rebase(high, pace);
      }
    }
  }

  /** Decides a request for a key that has no slot under this limit alone. */
  private long elsewhere(Chunk chunk, int i, long high, long low, Pace pace, long cost, long most) {
    if (i == Chunk.ABSENT && cost <= 0) {
      return 0;
    }
    Forms forms = i < 0 ? null : chunk.formsAt(i);
    if (forms != null) {
      return decide(forms, chunk, i, pace, cost, most);
    }
    long settled = chunks.settle(high, low, pace, cost, most, cost > 0);
    return settled == Chunks.READY ? AGAIN : settled;
  }

  /** Decides a request whose slot is held all the time, in its turn. */
  private long underLock(Chunk chunk, int i, Pace pace, long cost, long most) {
    ReentrantLock lock = KeyLock.of(chunks.order(), chunk.words[i + 1]);
    lock.lock();
    try {
      return attempt(chunk, i, pace, cost, most);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Decides a request at its slot; {@link #AGAIN} if the slot changed meanwhile and the caller has
   * to look again.
   */
  private long attempt(Chunk chunk, int i, Pace pace, long cost, long most) {
    boolean forced = isForced(most);
    while (true) {
      long word = (long) WORDS.getAcquire(chunk.words, i);
      if ((word & HELD) != 0) {
        return AGAIN;
      }
      long elapsed = clock.nanos() - chunk.base;
      if (!Slot.spans(pace, elapsed)) {
        return AGAIN;
      }
      long now = Slot.instant(pace, elapsed);
      long debt = Math.max(0, Slot.fullAt(word) - now);
      boolean sound = debt <= pace.burst() || debt <= pace.ceiling(chunks.reach());
      if (!sound) {
        debt = pace.ceiling(chunks.reach());
      }
      long next = forced ? forced(pace, debt, cost) : debt + cost;
      boolean denied = !forced && next > most;
      if (denied) {
        next = debt;
      } else if (next > pace.burst()) {
        chunks.extendReach(pace.ticks(next - pace.burst()));
      }
      if (cost > 0) {
        chunk.expect(denied);
        if (denied) {
          chunk.deny(i);
        }
      }
      boolean unchanged = cost == 0 || (sound && next == debt);
      if (unchanged || WORDS.compareAndSet(chunk.words, i, word, Slot.word(now + next))) {
        return denied ? ~debt : next;
      }
    }
  }

  /** Decides a request for a key that is asked under several limits. */
  private long decide(Forms forms, Chunk chunk, int i, Pace pace, long cost, long most) {
    ReentrantLock lock = KeyLock.of(chunks.order(), chunk.words[i + 1]);
    lock.lock();
    try {
      if (forms.isDropped()) {
        return AGAIN;
      }
      long now = clock.nanos();
      if (cost == 0) {
        long debt = forms.debt(pace, now, chunks.reach());
        return debt > most ? ~debt : debt;
      }
      if (cost == RESET) {
        forms.fill(now);
        return 0;
      }
      forms.settle(pace, now, chunks.reach(), chunks.inForce());
      long debt = forms.debt(pace, now, chunks.reach());
      boolean forced = isForced(most);
      long next = forced ? forced(pace, debt, cost) : debt + cost;
      if (!forced && next > most) {
        forms.clamp(pace, now, chunks.reach());
        chunk.deny(i);
        return ~debt;
      }
      chunks.extendReach(pace.ticks(next - pace.burst()));
      long amount = forced ? ~most : cost / pace.unitsPerThousandth();
      forms.move(pace, now, next, cost < 0 ? -amount : amount, chunks.reach());
      return next;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Takes what is there by a clock read beforehand, so that hardly any time passes between reading
   * the state and the compare-and-set: on a hot key that is what decides how often it fails.
   */
  private long takeAtOnce(Chunk chunk, long high, long low, Pace pace, long cost, long most) {
    long elapsed = clock.nanos() - chunk.base;
    int i = chunk.find(high, low);
    if (i < 0 || !chunk.isAt(i, pace) || !Slot.spans(pace, elapsed)) {
      return AGAIN;
    }
    long now = Slot.instant(pace, elapsed);
    while (true) {
      long word = (long) WORDS.getAcquire(chunk.words, i);
      long debt = Math.max(0, Slot.fullAt(word) - now);
      long next = debt + cost;
      if ((word & HELD) != 0 || next > most || debt > pace.burst()) {
        return AGAIN;
      }
      if (next > pace.burst()) {
        chunks.extendReach(pace.ticks(next - pace.burst()));
      }
      if (WORDS.compareAndSet(chunk.words, i, word, Slot.word(now + next))) {
        return next;
      }
    }
  }

  private static long forced(Pace pace, long debt, long cost) {
    return cost > 0 ? pace.charged(debt, cost) : Math.max(0, debt + cost);
  }

  void identify(Hold hold) {
    hold.identify(hash);
  }

  /** Holds a bucket. Only under the lock of its key, so nobody else holds it. */
  boolean hold(Hold hold, Pace pace) {
    boolean changes = changes(hold, pace);
    while (true) {
      Chunk chunk = chunks.of(hold.high);
      int i = chunk.find(hold.high, hold.low);
      if (!changes && (i == Chunk.ABSENT || (i < 0 && hold.absent))) {
        hold.chunk = null;
        return true;
      }
      if (i < 0) {
        return false;
      }
      Forms forms = chunk.formsAt(i);
      hold.chunk = chunk;
      hold.slot = i;
      hold.forms = forms;
      if (forms != null) {
        return !forms.isDropped();
      }
      if (changes && !chunk.isAt(i, pace)) {
        return false;
      }
      long word = (long) WORDS.getAcquire(chunk.words, i);
      if ((word & HELD) == 0 && WORDS.compareAndSet(chunk.words, i, word, word | HELD)) {
        hold.word = word;
        hold.unchanged = word;
        return true;
      }
    }
  }

  /** Whether the request may take something, so that the bucket has to be there for that. */
  private static boolean changes(Hold hold, Pace pace) {
    return !hold.looks && pace.holds(hold.cost);
  }

  void prepare(Hold hold, Pace pace) {
    boolean changes = changes(hold, pace);
    hold.absent = !changes && chunks.lacks(hold.high, hold.low);
    if (changes) {
      chunks.settle(hold.high, hold.low, pace, pace.units(hold.cost), pace.burst(), true);
    }
    chunks.rebase(hold.high, pace);
  }

  /** Judges a held bucket: {@code most} is the debt up to which the request passes. */
  boolean judge(Hold hold, Pace pace, long most) {
    if (!find(hold, pace)) {
      return false;
    }
    hold.after = hold.before + pace.units(hold.cost);
    hold.allowed = pace.holds(hold.cost) && hold.after <= most;
    if (!hold.allowed && changes(hold, pace) && hold.chunk != null) {
      hold.chunk.deny(hold.slot);
    }
    return true;
  }

  /** Notes what a held bucket owes; false if its chunk can't tell by this clock. */
  private boolean find(Hold hold, Pace pace) {
    Chunk chunk = hold.chunk;
    if (chunk == null) {
      hold.before = 0;
      return true;
    }
    long nanos = clock.nanos();
    boolean changes = changes(hold, pace);
    Forms forms = hold.forms;
    if (forms != null) {
      if (changes) {
        forms.settle(pace, nanos, chunks.reach(), chunks.inForce());
        forms.clamp(pace, nanos, chunks.reach());
      }
      hold.now = nanos;
      hold.before = forms.debt(pace, nanos, chunks.reach());
      return true;
    }
    if (!chunk.isAt(hold.slot, pace)) {
      hold.before = chunks.carried(chunk, hold.slot, hold.word, nanos, pace);
      return true;
    }
    if (!Slot.spans(pace, nanos - chunk.base)) {
      return false;
    }
    hold.now = Slot.instant(pace, nanos - chunk.base);
    hold.before = Math.max(0, Slot.fullAt(hold.word) - hold.now);
    if (hold.before > pace.burst()) {
      long ceiling = pace.ceiling(chunks.reach());
      if (hold.before > ceiling) {
        hold.before = ceiling;
        if (changes) {
          hold.unchanged = Slot.word(hold.now + ceiling);
        }
      }
    }
    return true;
  }

  void release(Hold hold, Pace pace, boolean take) {
    Chunk chunk = hold.chunk;
    if (chunk == null) {
      return;
    }
    boolean moves = take && hold.cost > 0;
    if (moves && hold.after > pace.burst()) {
      chunks.extendReach(pace.ticks(hold.after - pace.burst()));
    }
    Forms forms = hold.forms;
    if (forms == null) {
      long word = moves ? Slot.word(hold.now + hold.after) : hold.unchanged;
      WORDS.setRelease(chunk.words, hold.slot, word);
    } else if (moves) {
      forms.move(pace, hold.now, hold.after, hold.cost, chunks.reach());
    }
    hold.chunk = null;
    hold.forms = null;
  }
}
