package io.penstock.inprocess;

import static io.penstock.inprocess.BucketWord.EMPTY;
import static io.penstock.inprocess.BucketWord.RETIRED;
import static io.penstock.inprocess.BucketWord.WORDS;

import io.penstock.algorithm.FixedPointRate;
import io.penstock.inprocess.SipHash.Hash;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Some hundreds of buckets in one array, found by linear probing. Anybody reads and updates states
 * without a lock; only the holder of the segment's lock adds keys or replaces the segment.
 *
 * <p>A slot is given to a key once and for all: when its bucket is evicted, or moved to another
 * segment or slot, the state becomes {@link BucketWord#RETIRED} and stays so. So a thread that has
 * found its key may compare-and-set the state however late, and can't hit anybody else's bucket.
 * Used-up slots go when the segment is rebuilt, which is also how it grows, forgets full buckets
 * and moves its base in time.
 *
 * <pre>
 *  words:  | state | high | low | state | high | low | ...     three to a slot
 * </pre>
 */
final class Segment {
  static final int ABSENT = -1;

  /** The key was here, and may be elsewhere now: ask again under the lock. */
  static final int GONE = -2;

  private static final int WORDS_PER_SLOT = 3;
  private static final double FULL = 0.75;
  private static final double FRESH = 0.5;

  final long[] words;

  /** The instant from which states count, in nanoseconds of the clock. */
  final long base;

  /** The limit of all slots, unless {@link #fixedRates} says otherwise for each. */
  private final FixedPointRate fixedRate;

  private final FixedPointRate @Nullable [] fixedRates;

  /** Of a segment with {@link #fixedRates}, the buckets that are asked under several limits. */
  private final @Nullable MultiLimitBucket @Nullable [] forms;

  /**
   * Whether a request of the slot's key was denied since its bucket was last seen full. Written by
   * any thread without a lock: it only decides which bucket is evicted first.
   */
  private final boolean[] denied;

  private final int slots;
  private final AtomicInteger evicted = new AtomicInteger();
  private int used;

  /** Whether requests are mostly denied here. Read and written by anybody: only a guess. */
  private boolean denies;

  Segment(int expected, long base, FixedPointRate fixedRate, boolean mixed) {
    this(base, fixedRate, Math.max(8, (int) (expected / FRESH) + 1), mixed);
  }

  private Segment(long base, FixedPointRate fixedRate, int slots, boolean mixed) {
    this.slots = slots;
    this.words = new long[slots * WORDS_PER_SLOT];
    this.base = base;
    this.fixedRate = fixedRate;
    this.fixedRates = mixed ? new FixedPointRate[slots] : null;
    this.forms = mixed ? new MultiLimitBucket[slots] : null;
    this.denied = new boolean[slots];
  }

  /** What stands where no key was added yet: nothing to be found, and no room. */
  static Segment none(long base, FixedPointRate fixedRate) {
    Segment none = new Segment(base, fixedRate, 1, false);
    none.used = none.slots;
    return none;
  }

  /** Where the state of a key is in {@link #words}; {@link #ABSENT} or {@link #GONE} if nowhere. */
  int find(long high, long low) {
    long[] words = this.words;
    int missing = ABSENT;
    int i = start(high);
    while (true) {
      long state = (long) WORDS.getAcquire(words, i);
      if (state == EMPTY) {
        return missing;
      }
      if (words[i + 1] == high && words[i + 2] == low) {
        if (state != RETIRED) {
          return i;
        }
        missing = GONE;
      }
      i = next(i);
    }
  }

  /** Adds a key that is not here. Only under the lock, and only if there is {@link #hasRoom}. */
  int add(Hash key, FixedPointRate fixedRate, long word) {
    return add(key, fixedRate, null, word);
  }

  /** Adds a key that is asked under several limits, to a segment that is {@link #isMixed}. */
  int add(Hash key, MultiLimitBucket forms) {
    return add(key, fixedRate, forms, BucketWord.FORMS);
  }

  private int add(
      Hash key, FixedPointRate fixedRate, @Nullable MultiLimitBucket several, long word) {
    int i = start(key.high());
    while (words[i] != EMPTY) {
      i = next(i);
    }
    words[i + 1] = key.high();
    words[i + 2] = key.low();
    if (fixedRates != null && forms != null) {
      fixedRates[i / WORDS_PER_SLOT] = fixedRate;
      forms[i / WORDS_PER_SLOT] = several;
    }
    used++;
    WORDS.setRelease(words, i, word);
    return i;
  }

  boolean hasRoom() {
    return used < (int) (slots * FULL);
  }

  /** Whether a key under {@code other} can be added. */
  boolean takes(FixedPointRate other) {
    return fixedRates != null || fixedRate.equals(other);
  }

  /** Whether each slot has a limit of its own, or several. */
  boolean isMixed() {
    return fixedRates != null;
  }

  boolean denies() {
    return denies;
  }

  /** Notes what came of a request; only a change is written, so that the field can be shared. */
  void expect(boolean denial) {
    if (denies != denial) {
      denies = denial;
    }
  }

  int slots() {
    return slots;
  }

  /** Where the state of the {@code n}th slot is in {@link #words}. */
  static int slot(int n) {
    return n * WORDS_PER_SLOT;
  }

  /** The limit of its slots, or of some of them. */
  FixedPointRate fixedRate() {
    return fixedRate;
  }

  /** The limit of a slot that was given to a key. */
  FixedPointRate paceAt(int i) {
    return fixedRates == null ? fixedRate : fixedRates[i / WORDS_PER_SLOT];
  }

  /** Whether the bucket at {@code i} is asked under {@code other} alone. */
  boolean isAt(int i, FixedPointRate other) {
    return paceAt(i).equals(other) && formsAt(i) == null;
  }

  /** The bucket at {@code i} if it is asked under several limits. */
  @Nullable MultiLimitBucket formsAt(int i) {
    return forms == null ? null : forms[i / WORDS_PER_SLOT];
  }

  boolean deniedAt(int i) {
    return denied[i / WORDS_PER_SLOT];
  }

  /** Notes that a request was denied at {@code i}; only the first is written. */
  void deny(int i) {
    if (!denied[i / WORDS_PER_SLOT]) {
      denied[i / WORDS_PER_SLOT] = true;
    }
  }

  Hash keyAt(int i) {
    return new Hash(words[i + 1], words[i + 2]);
  }

  /**
   * The state of a slot while nobody holds it. May wait for the lock of its key.
   *
   * @param order the number of the table
   */
  long settled(int i, long order) {
    for (int spins = 0; ; spins++) {
      long word = (long) WORDS.getAcquire(words, i);
      if (!BucketWord.isHeld(word)) {
        return word;
      }
      if (!KeyLock.spin(spins)) {
        ReentrantLock lock = KeyLock.of(order, words[i + 1]);
        lock.lock();
        try {
          return (long) WORDS.getAcquire(words, i);
        } finally {
          lock.unlock();
        }
      }
    }
  }

  /**
   * Uses a slot up and returns its last state; {@link BucketWord#RETIRED} if somebody else did. May
   * wait for the lock of its key.
   *
   * @param order the number of the table
   */
  long retire(int i, long order) {
    for (int spins = 0; ; spins++) {
      long word = (long) WORDS.getAcquire(words, i);
      if (BucketWord.isHeld(word)) {
        if (!KeyLock.spin(spins)) {
          return retireUnderLock(i, order);
        }
      } else if (word == RETIRED || word == EMPTY || usedUp(i, word)) {
        return word;
      }
    }
  }

  private long retireUnderLock(int i, long order) {
    ReentrantLock lock = KeyLock.of(order, words[i + 1]);
    lock.lock();
    try {
      while (true) {
        long word = (long) WORDS.getAcquire(words, i);
        if (word == RETIRED || usedUp(i, word)) {
          return word;
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private boolean usedUp(int i, long word) {
    return WORDS.compareAndSet(words, i, word, RETIRED);
  }

  /** Evicts the bucket at {@code i} if its state is still {@code word}. */
  boolean evict(int i, long word) {
    if (!usedUp(i, word)) {
      return false;
    }
    evicted.incrementAndGet();
    return true;
  }

  /** Whether most of what was added has been evicted. */
  boolean isSparse() {
    return evicted.get() * 2 > used;
  }

  private int start(long high) {
    return (int) (((high & 0xffff_ffffL) * slots) >>> 32) * WORDS_PER_SLOT;
  }

  private int next(int i) {
    int next = i + WORDS_PER_SLOT;
    return next < words.length ? next : 0;
  }
}
