package io.penstock.inprocess;

import java.util.concurrent.locks.ReentrantLock;

/**
 * Striped locks, shared by all keys of all stores in this process. Thread-safe.
 *
 * <p>A request over several buckets takes the locks of all of them, in the order of their indices,
 * before it holds the first bucket. So a slot is held only by the owner of its key's lock, a holder
 * never waits for anything, and a thread that finds a slot held parks on the lock. This also works
 * on virtual threads, where spinning could keep the holder off its carrier indefinitely.
 *
 * <p>Lock order: the lock of a segment is taken before the lock of a key, never the other way
 * round.
 */
final class KeyLock {
  private static final int BITS = 10;
  private static final int MAX_SPINS = 64;
  private static final long SPREAD = 0x9e3779b97f4a7c15L;
  private static final ReentrantLock[] LOCKS = new ReentrantLock[1 << BITS];

  static {
    for (int i = 0; i < LOCKS.length; i++) {
      LOCKS[i] = new ReentrantLock();
    }
  }

  private KeyLock() {}

  /** Returns the index of the lock of a key, given the number of its table and the key's hash. */
  static int index(long tableNumber, long high) {
    return (int) (((high + tableNumber * SPREAD) * SPREAD) >>> (Long.SIZE - BITS));
  }

  static ReentrantLock at(int index) {
    return LOCKS[index];
  }

  static ReentrantLock of(long tableNumber, long high) {
    return LOCKS[index(tableNumber, high)];
  }

  /** Spins once; false once the caller has to take the lock instead. */
  static boolean spin(int spins) {
    if (spins >= MAX_SPINS) {
      return false;
    }
    Thread.onSpinWait();
    return true;
  }
}
