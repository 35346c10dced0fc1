package io.penstock.inprocess;

import java.util.concurrent.locks.ReentrantLock;

/**
 * Protects the buckets of a joint request from eviction until the request is decided. Thread-safe.
 *
 * <p>At the cap on keys, requests can evict each other's new buckets before they hold them. A
 * request that keeps losing its buckets pins them; one request in this process can do so at a time.
 * An eviction that has already chosen its victim may still hit a pinned bucket, so the request must
 * still check that it has all of them.
 */
final class Pins {
  private static final int WORDS_PER_BUCKET = 3;
  private static final long[] NONE = {};
  private static final ReentrantLock LOCK = new ReentrantLock();

  /** For each bucket, the number of its table and the hash of its key. */
  private static volatile long[] pinned = NONE;

  private Pins() {}

  /** Blocks until no other request has pins; the caller must hold no other lock. */
  static void pin(HeldBucket[] holds, int size) {
    LOCK.lock();
    long[] words = new long[size * WORDS_PER_BUCKET];
    for (int i = 0; i < size; i++) {
      words[i * WORDS_PER_BUCKET] = holds[i].buckets.tableNumber();
      words[i * WORDS_PER_BUCKET + 1] = holds[i].high;
      words[i * WORDS_PER_BUCKET + 2] = holds[i].low;
    }
    pinned = words;
  }

  static void unpin() {
    pinned = NONE;
    LOCK.unlock();
  }

  static boolean contains(long tableNumber, long high, long low) {
    long[] words = pinned;
    for (int i = 0; i < words.length; i += WORDS_PER_BUCKET) {
      if (words[i] == tableNumber && words[i + 1] == high && words[i + 2] == low) {
        return true;
      }
    }
    return false;
  }

  /** Whether the calling thread has pinned more than {@code maxBuckets} buckets. */
  static boolean exceed(long maxBuckets) {
    return LOCK.isHeldByCurrentThread() && pinned.length / WORDS_PER_BUCKET > maxBuckets;
  }
}
