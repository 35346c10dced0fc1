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
 * An open-addressing hash table for about a thousand buckets, with linear probing. Any thread reads
 * and updates states without a lock; only the owner of the segment's lock adds keys or replaces the
 * segment.
 *
 * <p>A slot is assigned to one key and never reused: when its bucket is evicted or moved, the state
 * becomes {@link BucketWord#RETIRED} for good. So a thread that has found its key may
 * compare-and-set the state at any later time without affecting the bucket of another key. Retired
 * slots are removed when the segment is rebuilt. A rebuild is also how a segment grows, drops full
 * buckets and moves its base time.
 *
 * <pre>
 *  words:  | state | high | low | state | high | low | ...     three words per slot
 * </pre>
 */
final class Segment {
  static final int ABSENT = -1;

  /** The key was here and may be in another slot now; look again under the lock. */
  static final int MOVED = -2;

  private static final int WORDS_PER_SLOT = 3;
  private static final int MAX_STRIPED_SLOTS = 4;
  private static final double MAX_LOAD_FACTOR = 0.75;
  private static final double INITIAL_LOAD_FACTOR = 0.5;

  final long[] words;

  /** The time that states are relative to, in nanoseconds of the clock. */
  final long base;

  /** The limit of all slots, unless {@link #fixedRates} has one for each. */
  private final FixedPointRate fixedRate;

  private final FixedPointRate @Nullable [] fixedRates;

  /** The buckets that are used under several limits; only if there are {@link #fixedRates}. */
  private final @Nullable MultiLimitBucket @Nullable [] multiLimits;

  /**
   * Whether a request for the slot's key was denied since its bucket was last seen full. Written by
   * any thread without a lock, because it only affects which bucket is evicted first.
   */
  private final boolean[] denied;

  private final int slots;
  private final AtomicInteger evicted = new AtomicInteger();
  private int used;

  /** Whether most requests are denied here. An unsynchronized hint. */
  private boolean mostlyDenies;

  /** The stripes of contended buckets, open or closed, as a linked list. */
  private volatile @Nullable Stripes stripes;

  Segment(int expected, long base, FixedPointRate fixedRate, boolean mixed) {
    this(base, fixedRate, Math.max(8, (int) (expected / INITIAL_LOAD_FACTOR) + 1), mixed);
  }

  private Segment(long base, FixedPointRate fixedRate, int slots, boolean mixed) {
    this.slots = slots;
    this.words = new long[slots * WORDS_PER_SLOT];
    this.base = base;
    this.fixedRate = fixedRate;
    this.fixedRates = mixed ? new FixedPointRate[slots] : null;
    this.multiLimits = mixed ? new MultiLimitBucket[slots] : null;
    this.denied = new boolean[slots];
  }

  /** A placeholder before the first key is added: contains nothing and has no room. */
  static Segment none(long base, FixedPointRate fixedRate) {
    Segment none = new Segment(base, fixedRate, 1, false);
    none.used = none.slots;
    return none;
  }

  /** Returns the index of a key's state in {@link #words}, or {@link #ABSENT} or {@link #MOVED}. */
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
        missing = MOVED;
      }
      i = next(i);
    }
  }

  /** Adds an absent key. Requires the lock and {@link #hasRoom}. */
  int add(Hash key, FixedPointRate fixedRate, long word) {
    return add(key, fixedRate, null, word);
  }

  /** Adds a key that is used under several limits, to a segment that is {@link #isMixed}. */
  int add(Hash key, MultiLimitBucket multiLimit) {
    return add(key, fixedRate, multiLimit, BucketWord.MULTI_LIMIT);
  }

  private int add(
      Hash key, FixedPointRate fixedRate, @Nullable MultiLimitBucket multiLimit, long word) {
    int i = start(key.high());
    while (words[i] != EMPTY) {
      i = next(i);
    }
    words[i + 1] = key.high();
    words[i + 2] = key.low();
    if (fixedRates != null && multiLimits != null) {
      fixedRates[i / WORDS_PER_SLOT] = fixedRate;
      multiLimits[i / WORDS_PER_SLOT] = multiLimit;
    }
    used++;
    WORDS.setRelease(words, i, word);
    return i;
  }

  boolean hasRoom() {
    return used < (int) (slots * MAX_LOAD_FACTOR);
  }

  /** Whether a key under {@code other} can be added. */
  boolean accepts(FixedPointRate other) {
    return fixedRates != null || fixedRate.equals(other);
  }

  /** Whether each slot can have its own limit, or several. */
  boolean isMixed() {
    return fixedRates != null;
  }

  boolean mostlyDenies() {
    return mostlyDenies;
  }

  /** Records the outcome of a request. Writes only changes, to avoid contention on the field. */
  void recordOutcome(boolean denial) {
    if (mostlyDenies != denial) {
      mostlyDenies = denial;
    }
  }

  int slots() {
    return slots;
  }

  /** Returns the index of the state of the {@code n}th slot in {@link #words}. */
  static int slot(int n) {
    return n * WORDS_PER_SLOT;
  }

  /** The limit of all slots, or of some of them if the segment is mixed. */
  FixedPointRate fixedRate() {
    return fixedRate;
  }

  /** The limit of a slot that is assigned to a key. */
  FixedPointRate rateAt(int i) {
    return fixedRates == null ? fixedRate : fixedRates[i / WORDS_PER_SLOT];
  }

  /** Whether the bucket at {@code i} is used under {@code other} only. */
  boolean hasOnlyLimit(int i, FixedPointRate other) {
    return rateAt(i).equals(other) && multiLimitAt(i) == null;
  }

  /** Returns the bucket at {@code i} if it is used under several limits. */
  @Nullable MultiLimitBucket multiLimitAt(int i) {
    return multiLimits == null ? null : multiLimits[i / WORDS_PER_SLOT];
  }

  boolean deniedAt(int i) {
    return denied[i / WORDS_PER_SLOT];
  }

  /** Records that a request was denied at {@code i}. Writes only once, to avoid contention. */
  void markDenied(int i) {
    if (!denied[i / WORDS_PER_SLOT]) {
      denied[i / WORDS_PER_SLOT] = true;
    }
  }

  boolean hasStripes() {
    return stripes != null;
  }

  /** Returns the stripes of the bucket at {@code i} if it has been contended. */
  @Nullable Stripes stripesAt(int i) {
    Stripes found = stripes;
    while (found != null && found.slot != i) {
      found = found.next;
    }
    return found;
  }

  /** Like {@link #stripesAt}, but creates them unless too many buckets have been contended. */
  synchronized @Nullable Stripes ensureStripes(int i, Striping striping) {
    Stripes found = stripesAt(i);
    int count = 0;
    for (Stripes each = stripes; each != null; each = each.next) {
      count++;
    }
    if (found == null && count < MAX_STRIPED_SLOTS) {
      found = new Stripes(i, rateAt(i), striping, stripes);
      stripes = found;
    }
    return found;
  }

  /** Closes the stripes of the bucket at {@code i}, if any. Requires the lock of its key. */
  void closeStripes(int i) {
    Stripes found = stripesAt(i);
    if (found != null) {
      found.close(words);
    }
  }

  Hash keyAt(int i) {
    return new Hash(words[i + 1], words[i + 2]);
  }

  /**
   * Returns the state of a slot once it is not held. May wait for the lock of its key.
   *
   * @param tableNumber the number of the table
   */
  long stateWhenReleased(int i, long tableNumber) {
    for (int spins = 0; ; spins++) {
      long word = (long) WORDS.getAcquire(words, i);
      if (!BucketWord.isHeld(word)) {
        return word;
      }
      if (!KeyLock.spin(spins)) {
        ReentrantLock lock = KeyLock.of(tableNumber, words[i + 1]);
        lock.lock();
        try {
          closeStripes(i);
          return (long) WORDS.getAcquire(words, i);
        } finally {
          lock.unlock();
        }
      }
    }
  }

  /**
   * Retires a slot and returns its last state; {@link BucketWord#RETIRED} if another thread did.
   * May wait for the lock of its key.
   *
   * @param tableNumber the number of the table
   */
  long retire(int i, long tableNumber) {
    for (int spins = 0; ; spins++) {
      long word = (long) WORDS.getAcquire(words, i);
      if (BucketWord.isHeld(word)) {
        if (!KeyLock.spin(spins)) {
          return retireUnderLock(i, tableNumber);
        }
      } else if (word == RETIRED || word == EMPTY || tryRetire(i, word)) {
        return word;
      }
    }
  }

  private long retireUnderLock(int i, long tableNumber) {
    ReentrantLock lock = KeyLock.of(tableNumber, words[i + 1]);
    lock.lock();
    try {
      closeStripes(i);
      while (true) {
        long word = (long) WORDS.getAcquire(words, i);
        if (word == RETIRED || tryRetire(i, word)) {
          return word;
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private boolean tryRetire(int i, long word) {
    return WORDS.compareAndSet(words, i, word, RETIRED);
  }

  /** Evicts the bucket at {@code i} if its state is still {@code word}. */
  boolean evict(int i, long word) {
    if (!tryRetire(i, word)) {
      return false;
    }
    evicted.incrementAndGet();
    return true;
  }

  /** Whether most of the added buckets have been evicted. */
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
