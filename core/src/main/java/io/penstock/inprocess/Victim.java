package io.penstock.inprocess;

import io.penstock.algorithm.Pace;
import org.jspecify.annotations.Nullable;

/**
 * The search for a bucket to give up: the one with the smallest share missing among at least eight,
 * and among many more while all of them are spent, so that a flood does not reset the keys that are
 * being denied. Not thread-safe.
 */
final class Victim {
  private static final int AT_LEAST = 8;
  private static final int AT_MOST = 1024;
  private static final long TOKEN = 1_000;

  private final boolean spentToo;
  private int seen;
  private boolean spent = true;
  private double share = Double.POSITIVE_INFINITY;
  private @Nullable Chunk chunk;
  private int index;
  private int slot;
  private long word;
  private long missing;

  Victim(boolean spentToo) {
    this.spentToo = spentToo;
  }

  void consider(Chunk chunk, int index, int slot, long word, long debt) {
    seen++;
    Pace pace = chunk.paceAt(slot);
    double share = (double) debt / pace.burst();
    if (share < this.share) {
      this.share = share;
      this.spent = pace.remaining(debt) < Math.min(TOKEN, pace.remaining(0));
      this.chunk = chunk;
      this.index = index;
      this.slot = slot;
      this.word = word;
      this.missing = debt / pace.unitsPerThousandth();
    }
  }

  /** Whether looking further is not worth it. */
  boolean settled() {
    return share == 0 || (seen >= AT_LEAST && (!spent || spentToo)) || seen >= AT_MOST;
  }

  boolean found() {
    return chunk != null && (!spent || spentToo);
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
