package io.penstock.inprocess;

import static io.penstock.inprocess.Slot.EMPTY;
import static io.penstock.inprocess.Slot.RETIRED;
import static io.penstock.inprocess.Slot.WORDS;

import io.penstock.algorithm.Pace;
import io.penstock.inprocess.SipHash.Hash;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Some hundreds of buckets in one array, found by linear probing. Anybody reads and updates states
 * without a lock; only the holder of the chunk's lock adds keys or replaces the chunk.
 *
 * <p>A slot is given to a key once and for all: when its bucket is evicted, or moved to another
 * chunk or slot, the state becomes {@link Slot#RETIRED} and stays so. So a thread that has found
 * its key may compare-and-set the state however late, and can't hit anybody else's bucket. Used-up
 * slots go when the chunk is rebuilt, which is also how it grows, forgets full buckets and moves
 * its base in time.
 *
 * <pre>
 *  words:  | state | high | low | state | high | low | ...     three to a slot
 * </pre>
 */
final class Chunk {
  static final int ABSENT = -1;

  /** The key was here, and may be elsewhere now: ask again under the lock. */
  static final int GONE = -2;

  private static final int WORDS_PER_SLOT = 3;
  private static final double FULL = 0.75;
  private static final double FRESH = 0.5;

  final long[] words;

  /** The instant from which states count, in nanoseconds of the clock. */
  final long base;

  /** The limit of all slots, unless {@link #paces} says otherwise for each. */
  private final Pace pace;

  private final Pace @Nullable [] paces;
  private final int slots;
  private final AtomicInteger evicted = new AtomicInteger();
  private int used;

  /** Whether requests are mostly denied here. Read and written by anybody: only a guess. */
  private boolean denies;

  Chunk(int expected, long base, Pace pace, boolean mixed) {
    this.slots = Math.max(8, (int) (expected / FRESH) + 1);
    this.words = new long[slots * WORDS_PER_SLOT];
    this.base = base;
    this.pace = pace;
    this.paces = mixed ? new Pace[slots] : null;
  }

  /** What stands where no key was added yet: nothing to be found, and no room. */
  static Chunk none(long base, Pace pace) {
    Chunk none = new Chunk(0, base, pace, false);
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
  void add(Hash key, Pace pace, long word) {
    int i = start(key.high());
    while (words[i] != EMPTY) {
      i = next(i);
    }
    words[i + 1] = key.high();
    words[i + 2] = key.low();
    if (paces != null) {
      paces[i / WORDS_PER_SLOT] = pace;
    }
    used++;
    WORDS.setRelease(words, i, word);
  }

  boolean hasRoom() {
    return used < (int) (slots * FULL);
  }

  /** Whether a key under {@code other} can be added. */
  boolean takes(Pace other) {
    return paces != null || pace.equals(other);
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
  Pace pace() {
    return pace;
  }

  /** The limit of a slot that was given to a key. */
  Pace paceAt(int i) {
    return paces == null ? pace : paces[i / WORDS_PER_SLOT];
  }

  boolean isAt(int i, Pace other) {
    return paceAt(i).equals(other);
  }

  Hash keyAt(int i) {
    return new Hash(words[i + 1], words[i + 2]);
  }

  /** The state of a slot once nobody holds it. */
  long settled(int i) {
    for (int spins = 0; ; spins++) {
      long word = (long) WORDS.getAcquire(words, i);
      if ((word & Slot.HELD) == 0 || word == RETIRED) {
        return word;
      }
      Spin.once(spins);
    }
  }

  /** Uses a slot up and returns its last state; {@link Slot#RETIRED} if somebody else did. */
  long retire(int i) {
    while (true) {
      long word = settled(i);
      if (word == RETIRED || word == EMPTY || WORDS.compareAndSet(words, i, word, RETIRED)) {
        return word;
      }
    }
  }

  /** Evicts the bucket at {@code i} if its state is still {@code word}. */
  boolean evict(int i, long word) {
    if (!WORDS.compareAndSet(words, i, word, RETIRED)) {
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
