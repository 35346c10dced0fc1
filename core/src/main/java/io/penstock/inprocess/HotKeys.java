package io.penstock.inprocess;

import org.jspecify.annotations.Nullable;

/**
 * The hashes of keys that are asked for all the time, which are known faster than computed. For
 * many threads: what one of them overlooks or overwrites is only hashed again.
 *
 * <p>One request in a thousand is a sample. A key that two samples of its place in a row have in
 * common is a hot one; among many keys that hardly ever happens, so these leave nothing behind.
 */
final class HotKeys implements SipHash.HashFunction<String> {
  private static final int PLACES = 64;
  private static final int SAMPLED_BITS = 10;
  private static final long SPREAD = 0x9e3779b97f4a7c15L;

  /** Made with the first sample: most tables of a store with many names never take one. */
  private @Nullable HotKey @Nullable [] keys;

  /** The hash of the last sample in each place. */
  private long @Nullable [] samples;

  /** A key and its hash. Immutable, so that a race can't show half of one. */
  static final class HotKey {
    private final String key;
    final long high;
    final long low;

    HotKey(String key, long high, long low) {
      this.key = key;
      this.high = high;
      this.low = low;
    }
  }

  /** The key with its hash, if it is a hot one. */
  @Nullable HotKey find(String key) {
    @Nullable HotKey[] keys = this.keys;
    HotKey hot = keys == null ? null : keys[place(key)];
    return hot != null && hot.key.equals(key) ? hot : null;
  }

  /**
   * Whether to take a sample. The outcome of a request moves with time, so that it is as good as
   * chance, and costs nothing.
   */
  static boolean isSample(long outcome) {
    return (outcome * SPREAD) >>> (Long.SIZE - SAMPLED_BITS) == 0;
  }

  /** Takes a sample. */
  void sample(SipHash hash, String key) {
    hash.then(this, key, key, 0, 0);
  }

  @Override
  public long apply(long high, long low, String key, long cost, long most) {
    @Nullable HotKey[] keys = this.keys;
    long[] samples = this.samples;
    if (keys == null || samples == null) {
      keys = new @Nullable HotKey[PLACES];
      samples = new long[PLACES];
      this.keys = keys;
      this.samples = samples;
    }
    int place = place(key);
    if (samples[place] == high) {
      keys[place] = new HotKey(key, high, low);
    }
    samples[place] = high;
    return 0;
  }

  private static int place(String key) {
    int hash = key.hashCode();
    return (hash ^ (hash >>> 16)) & (PLACES - 1);
  }
}
