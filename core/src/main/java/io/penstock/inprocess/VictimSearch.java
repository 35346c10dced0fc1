package io.penstock.inprocess;

import io.penstock.algorithm.FixedPointRate;
import org.jspecify.annotations.Nullable;

/**
 * The search for a bucket to evict: the one with the smallest missing fraction among at least 8
 * candidates. It examines up to 1024 while all candidates are protected, so that a flood of keys
 * doesn't reset the keys that are being denied. Not thread-safe.
 */
final class VictimSearch {
  private static final int MIN_CANDIDATES = 8;
  private static final int MAX_CANDIDATES = 1024;
  private static final long TOKEN = 1_000;

  private final EvictionPriority upTo;
  private int candidates;
  private EvictionPriority priority = EvictionPriority.DENIED;
  private double share = Double.POSITIVE_INFINITY;
  private @Nullable Segment segment;
  private int index;
  private int slot;
  private long word;
  private long missing;

  VictimSearch(EvictionPriority upTo) {
    this.upTo = upTo;
  }

  /** Considers a bucket under one limit with a debt of {@code debt}. */
  void consider(Segment segment, int index, int slot, long word, long debt) {
    FixedPointRate fixedRate = segment.rateAt(slot);
    boolean spent = isSpent(fixedRate, debt);
    double share = (double) debt / fixedRate.burst();
    consider(segment, index, slot, word, share, spent, debt / fixedRate.unitsPerThousandth());
  }

  /**
   * Considers a bucket.
   *
   * @param missing the missing tokens, in thousandths
   */
  void consider(
      Segment segment, int index, int slot, long word, double share, boolean spent, long missing) {
    candidates++;
    EvictionPriority priority = EvictionPriority.of(spent, share > 0 && segment.deniedAt(slot));
    if (priority.compareTo(this.priority) < 0
        || (priority == this.priority && share < this.share)) {
      this.priority = priority;
      this.share = share;
      this.segment = segment;
      this.index = index;
      this.slot = slot;
      this.word = word;
      this.missing = missing;
    }
  }

  /**
   * Whether less than one token is left or, if the burst is smaller than that, anything is missing.
   */
  static boolean isSpent(FixedPointRate fixedRate, long debt) {
    return fixedRate.remaining(debt) < Math.min(TOKEN, fixedRate.burstThousandths());
  }

  /** Whether the search can stop. */
  boolean isDone() {
    return share == 0
        || (candidates >= MIN_CANDIDATES && upTo.includes(priority))
        || candidates >= MAX_CANDIDATES;
  }

  boolean found() {
    return segment != null && upTo.includes(priority);
  }

  Segment segment() {
    if (segment == null) {
      throw new IllegalStateException("no victim found");
    }
    return segment;
  }

  int index() {
    return index;
  }

  int slot() {
    return slot;
  }

  long word() {
    return word;
  }

  /** The tokens that are forgiven by the eviction, in thousandths. */
  long missing() {
    return missing;
  }
}
