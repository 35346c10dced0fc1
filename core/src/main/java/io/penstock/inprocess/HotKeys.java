package io.penstock.inprocess;

import org.jspecify.annotations.Nullable;

/**
 * A cache of the hashes of hot keys, which are faster to look up than to compute. Shared by threads
 * without synchronization: a lost update only means that a key is hashed again.
 *
 * <p>One request in a thousand is sampled. A key is hot if two consecutive samples in its cache
 * slot have the same hash. With many different keys this hardly ever happens, so they leave no
 * entries behind.
 */
final class HotKeys implements SipHash.HashFunction<String> {
  private static final int SLOTS = 64;
  private static final int SAMPLED_BITS = 10;
  private static final long SPREAD = 0x9e3779b97f4a7c15L;

  /**
   * Allocated with the first sample, because most tables of a store with many names never have one.
   */
  private @Nullable CachedKey @Nullable [] keys;

  /** The hash of the last sample in each cache slot. */
  private long @Nullable [] samples;

  /** A key and its hash. Immutable, so that a race can't expose a partial entry. */
  static final class CachedKey {
    private final String key;
    final long high;
    final long low;

    CachedKey(String key, long high, long low) {
      this.key = key;
      this.high = high;
      this.low = low;
    }
  }

  /** Returns the key with its hash if it is cached. */
  @Nullable CachedKey find(String key) {
    @Nullable CachedKey[] keys = this.keys;
    CachedKey hot = keys == null ? null : keys[slot(key)];
    return hot != null && hot.key.equals(key) ? hot : null;
  }

  /**
   * Whether to sample this request. The outcome of a request varies with time, so it serves as a
   * random number that costs nothing.
   */
  static boolean isSample(long outcome) {
    return (outcome * SPREAD) >>> (Long.SIZE - SAMPLED_BITS) == 0;
  }

  void sample(SipHash hash, String key) {
    hash.then(this, key, key, 0, 0);
  }

  @Override
  public long apply(long high, long low, String key, long cost, long maxDebt) {
    @Nullable CachedKey[] keys = this.keys;
    long[] samples = this.samples;
    if (keys == null || samples == null) {
      keys = new @Nullable CachedKey[SLOTS];
      samples = new long[SLOTS];
      this.keys = keys;
      this.samples = samples;
    }
    int slot = slot(key);
    if (samples[slot] == high) {
      keys[slot] = new CachedKey(key, high, low);
    }
    samples[slot] = high;
    return 0;
  }

  private static int slot(String key) {
    int hash = key.hashCode();
    return (hash ^ (hash >>> 16)) & (SLOTS - 1);
  }
}
