package io.penstock.inprocess;

import io.penstock.algorithm.FixedPointRate;
import org.jspecify.annotations.Nullable;

/**
 * The search for a bucket to give up: the one with the smallest share missing among at least eight,
 * and among many more while all those seen are to be spared, so that a flood does not reset the
 * keys that are being denied. Not thread-safe.
 */
final class VictimSearch {
  private static final int AT_LEAST = 8;
  private static final int AT_MOST = 1024;
  private static final long TOKEN = 1_000;

  private final EvictionGuard spare;
  private int seen;
  private EvictionGuard kind = EvictionGuard.NOBODY;
  private double share = Double.POSITIVE_INFINITY;
  private @Nullable Segment segment;
  private int index;
  private int slot;
  private long word;
  private long missing;

  VictimSearch(EvictionGuard spare) {
    this.spare = spare;
  }

  /** Looks at a bucket under one limit, which owes {@code debt}. */
  void consider(Segment segment, int index, int slot, long word, long debt) {
    FixedPointRate fixedRate = segment.paceAt(slot);
    boolean spent = isSpent(fixedRate, debt);
    double share = (double) debt / fixedRate.burst();
    consider(segment, index, slot, word, share, spent, debt / fixedRate.unitsPerThousandth());
  }

  /**
   * Looks at a bucket.
   *
   * @param missing in thousandths of a token
   */
  void consider(
      Segment segment, int index, int slot, long word, double share, boolean spent, long missing) {
    seen++;
    EvictionGuard kind = EvictionGuard.of(spent, share > 0 && segment.deniedAt(slot));
    if (kind.compareTo(this.kind) < 0 || (kind == this.kind && share < this.share)) {
      this.kind = kind;
      this.share = share;
      this.segment = segment;
      this.index = index;
      this.slot = slot;
      this.word = word;
      this.missing = missing;
    }
  }

  /** Whether less than a token is left; of a bucket that holds less, whether any is missing. */
  static boolean isSpent(FixedPointRate fixedRate, long debt) {
    return fixedRate.remaining(debt) < Math.min(TOKEN, fixedRate.burstThousandths());
  }

  /** Whether looking further is not worth it. */
  boolean settled() {
    return share == 0 || (seen >= AT_LEAST && spare.allows(kind)) || seen >= AT_MOST;
  }

  boolean found() {
    return segment != null && spare.allows(kind);
  }

  Segment segment() {
    if (segment == null) {
      throw new IllegalStateException("no victim was found");
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

  /** What is forgiven with it, in thousandths of a token. */
  long missing() {
    return missing;
  }
}
