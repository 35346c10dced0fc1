package io.penstock.inprocess;

import static io.penstock.inprocess.Slot.HELD;
import static io.penstock.inprocess.Slot.WORDS;

import io.penstock.NanoClock;
import io.penstock.algorithm.Pace;
import java.util.Objects;

/**
 * Token buckets by key. Thread-safe; a request for a known key takes no lock and allocates nothing.
 *
 * <p>The clock is read after the state, never before: then a denial holds at that very instant,
 * however late the thread gets to run, and only a clock that really stepped back can show a state
 * from the future.
 *
 * <p>Outcomes are a debt in units of the pace: what is missing afterwards or, of a denial, the
 * bitwise complement of what is missing. Debts are never negative, so the sign tells them apart.
 */
final class BucketTable implements SipHash.Then<Pace> {
  private static final long FORCED = -1;

  private final NanoClock clock;
  private final SipHash hash;
  private final Chunks chunks;

  BucketTable(NanoClock clock, SipHash hash, Chunks chunks) {
    this.clock = clock;
    this.hash = hash;
    this.chunks = chunks;
  }

  /**
   * Takes {@code cost} units if the debt stays within {@code most}; a cost of 0 changes nothing.
   */
  long take(String key, Pace pace, long cost, long most) {
    return hash.then(this, key, pace, cost, most);
  }

  /** Moves the debt by {@code cost} units either way, as far as a bucket can go. */
  long adjust(String key, Pace pace, long cost) {
    return hash.then(this, key, pace, cost, FORCED);
  }

  @Override
  public long apply(long high, long low, Pace pace, long cost, long most) {
    boolean forced = most == FORCED;
    for (int spins = 0; ; spins++) {
      Chunk chunk = chunks.of(high);
      int i = chunk.find(high, low);
      if (i < 0 || !chunk.isAt(i, pace)) {
        if ((cost <= 0 && i == Chunk.ABSENT) || !chunks.prepare(high, low, pace, cost > 0)) {
          return 0;
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
      boolean unchanged = cost == 0 || (sound && next == debt);
      if (unchanged || WORDS.compareAndSet(chunk.words, i, word, Slot.word(now + next))) {
        return denied ? ~debt : next;
      }
    }
  }

  private static long forced(Pace pace, long debt, long cost) {
    return cost > 0 ? pace.charged(debt, cost) : Math.max(0, debt + cost);
  }

  void identify(Hold hold) {
    hash.then(hold, hold.key, hold, 0, 0);
  }

  boolean hold(Hold hold, Pace pace) {
    for (int spins = 0; ; spins++) {
      Chunk chunk = chunks.of(hold.high);
      int i = chunk.find(hold.high, hold.low);
      if (i < 0 || !chunk.isAt(i, pace)) {
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

  void prepare(Hold hold, Pace pace) {
    chunks.prepare(hold.high, hold.low, pace, true);
    chunks.rebase(hold.high, pace);
  }

  /** Judges a held bucket: {@code most} is the debt up to which the request passes. */
  boolean judge(Hold hold, Pace pace, long most) {
    Chunk chunk = Objects.requireNonNull(hold.chunk);
    long elapsed = clock.nanos() - chunk.base;
    if (!Slot.spans(pace, elapsed)) {
      return false;
    }
    long ceiling = pace.ceiling(chunks.reach());
    hold.now = Slot.instant(pace, elapsed);
    hold.before = Math.max(0, Slot.fullAt(hold.word) - hold.now);
    if (hold.before > ceiling) {
      hold.before = ceiling;
      hold.unchanged = Slot.word(hold.now + ceiling);
    }
    hold.after = hold.before + pace.units(hold.cost);
    hold.allowed = pace.holds(hold.cost) && hold.after <= most;
    return true;
  }

  void release(Hold hold, Pace pace, boolean take) {
    long word = hold.unchanged;
    if (take && hold.cost > 0) {
      word = Slot.word(hold.now + hold.after);
      if (hold.after > pace.burst()) {
        chunks.extendReach(pace.ticks(hold.after - pace.burst()));
      }
    }
    WORDS.setRelease(Objects.requireNonNull(hold.chunk).words, hold.slot, word);
    hold.chunk = null;
  }
}
