package io.penstock.inprocess;

import io.penstock.algorithm.Pace;
import org.jspecify.annotations.Nullable;

/**
 * The search for a bucket to give up: the one with the smallest share missing among at least eight,
 * and among many more while all those seen are to be spared, so that a flood does not reset the
 * keys that are being denied. Not thread-safe.
 */
final class Victim {
  private static final int AT_LEAST = 8;
  private static final int AT_MOST = 1024;
  private static final long TOKEN = 1_000;

  private final Spare spare;
  private int seen;
  private Spare kind = Spare.NOBODY;
  private double share = Double.POSITIVE_INFINITY;
  private @Nullable Chunk chunk;
  private int index;
  private int slot;
  private long word;
  private long missing;

  Victim(Spare spare) {
    this.spare = spare;
  }

  /** Looks at a bucket under one limit, which owes {@code debt}. */
  void consider(Chunk chunk, int index, int slot, long word, long debt) {
    Pace pace = chunk.paceAt(slot);
    boolean spent = isSpent(pace, debt);
    double share = (double) debt / pace.burst();
    consider(chunk, index, slot, word, share, spent, debt / pace.unitsPerThousandth());
  }

  /**
   * Looks at a bucket.
   *
   * @param missing in thousandths of a token
   */
  void consider(
      Chunk chunk, int index, int slot, long word, double share, boolean spent, long missing) {
    seen++;
    Spare kind = Spare.of(spent, share > 0 && chunk.deniedAt(slot));
    if (kind.compareTo(this.kind) < 0 || (kind == this.kind && share < this.share)) {
      this.kind = kind;
      this.share = share;
      this.chunk = chunk;
      this.index = index;
      this.slot = slot;
      this.word = word;
      this.missing = missing;
    }
  }

  /** Whether less than a token is left; of a bucket that holds less, whether any is missing. */
  static boolean isSpent(Pace pace, long debt) {
    return pace.remaining(debt) < Math.min(TOKEN, pace.burstThousandths());
  }

  /** Whether looking further is not worth it. */
  boolean settled() {
    return share == 0 || (seen >= AT_LEAST && spare.allows(kind)) || seen >= AT_MOST;
  }

  boolean found() {
    return chunk != null && spare.allows(kind);
  }

  Chunk chunk() {
    if (chunk == null) {
      throw new IllegalStateException("no victim was found");
    }
    return chunk;
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
