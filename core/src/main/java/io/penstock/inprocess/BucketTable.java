package io.penstock.inprocess;

import static io.penstock.inprocess.Slot.HELD;
import static io.penstock.inprocess.Slot.WORDS;

import io.penstock.NanoClock;
import io.penstock.algorithm.Pace;
import io.penstock.inprocess.HotKeys.HotKey;
import io.penstock.inprocess.SipHash.Hash;

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

  InForce<Pace> inForce() {
    return chunks.inForce();
  }

  /**
   * Takes {@code cost} units if the debt stays within {@code most}; a cost of 0 changes nothing.
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

  /** Moves the debt by {@code cost} units either way, as far as a bucket can go. */
  long adjust(String key, Pace pace, long cost) {
    return hash.then(this, key, pace, cost, Chunks.FORCED);
  }

  @Override
  public long apply(long high, long low, Pace pace, long cost, long most) {
    boolean forced = most == Chunks.FORCED;
    Chunk likely = chunks.of(high);
    if (cost > 0 && !forced && !likely.denies()) {
      long taken = takeAtOnce(likely, high, low, pace, cost, most);
      if (taken != AGAIN) {
        return taken;
      }
    }
    for (int spins = 0; ; spins++) {
      Chunk chunk = chunks.of(high);
      int i = chunk.find(high, low);
      if (i < 0 || !chunk.isAt(i, pace)) {
        long settled =
            i == Chunk.ABSENT && cost <= 0
                ? 0
                : chunks.settle(high, low, pace, cost, most, cost > 0);
        if (settled != Chunks.READY) {
          return settled;
        }
        continue;
      }
      long word = (long) WORDS.getAcquire(chunk.words, i);
      if ((word & HELD) != 0) {
        Spin.once(spins);
        continue;
      }
      long elapsed = clock.nanos() - chunk.base;
      if (!Slot.spans(pace, elapsed)) {
        chunks.rebase(high, pace);
        continue;
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
      }
      boolean unchanged = cost == 0 || (sound && next == debt);
      if (unchanged || WORDS.compareAndSet(chunk.words, i, word, Slot.word(now + next))) {
        return denied ? ~debt : next;
      }
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

  boolean hold(Hold hold, Pace pace) {
    for (int spins = 0; ; spins++) {
      Chunk chunk = chunks.of(hold.high);
      int i = chunk.find(hold.high, hold.low);
      if (hold.looks && (i == Chunk.ABSENT || (i < 0 && hold.absent))) {
        hold.chunk = null;
        return true;
      }
      if (i < 0 || (!hold.foreign && !chunk.isAt(i, pace))) {
        return false;
      }
      long word = (long) WORDS.getAcquire(chunk.words, i);
      if ((word & HELD) != 0) {
        Spin.once(spins);
      } else if (WORDS.compareAndSet(chunk.words, i, word, word | HELD)) {
        hold.chunk = chunk;
        hold.slot = i;
        hold.word = word;
        hold.unchanged = word;
        return true;
      }
    }
  }

  void prepare(Hold hold, Pace pace, long most) {
    hold.absent = hold.looks && chunks.lacks(hold.high, hold.low);
    if (hold.absent) {
      return;
    }
    long cost = pace.holds(hold.cost) ? pace.units(hold.cost) : 0;
    if (hold.insists()) {
      chunks.insist(hold.high, hold.low, pace);
    }
    long settled = chunks.settle(hold.high, hold.low, pace, cost, most, true);
    hold.foreign = settled != Chunks.READY;
    chunks.rebase(hold.high, pace);
  }

  /** Judges a held bucket: {@code most} is the debt up to which the request passes. */
  boolean judge(Hold hold, Pace pace, long most) {
    Chunk chunk = hold.chunk;
    if (chunk == null) {
      hold.before = 0;
      hold.after = pace.units(hold.cost);
      hold.allowed = pace.holds(hold.cost) && hold.after <= most;
      return true;
    }
    long nanos = clock.nanos();
    if (!Slot.spans(pace, nanos - chunk.base)) {
      return false;
    }
    boolean own = chunk.isAt(hold.slot, pace);
    hold.now = Slot.instant(pace, nanos - chunk.base);
    hold.before =
        own
            ? Math.max(0, Slot.fullAt(hold.word) - hold.now)
            : chunks.carried(chunk, hold.slot, hold.word, nanos, pace);
    long ceiling = pace.ceiling(chunks.reach());
    if (own && hold.before > ceiling) {
      hold.before = ceiling;
      if (hold.cost > 0 && pace.holds(hold.cost)) {
        hold.unchanged = Slot.word(hold.now + ceiling);
      }
    }
    hold.after = hold.before + pace.units(hold.cost);
    hold.allowed = pace.holds(hold.cost) && hold.after <= most;
    // What is under another limit can be refused as it is, but not taken from.
    hold.foreign = !own && !hold.allowed;
    return own || hold.foreign || hold.cost == 0;
  }

  void release(Hold hold, Pace pace, boolean take) {
    if (hold.chunk == null) {
      return;
    }
    long word = hold.unchanged;
    if (take && hold.cost > 0) {
      word = Slot.word(hold.now + hold.after);
      if (hold.after > pace.burst()) {
        chunks.extendReach(pace.ticks(hold.after - pace.burst()));
      }
    }
    WORDS.setRelease(hold.chunk.words, hold.slot, word);
    hold.chunk = null;
  }
}
