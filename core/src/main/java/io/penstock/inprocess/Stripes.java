package io.penstock.inprocess;

import static io.penstock.inprocess.BucketWord.HELD;
import static io.penstock.inprocess.BucketWord.WORDS;

import io.penstock.algorithm.FixedPointRate;
import org.jspecify.annotations.Nullable;

/**
 * Tokens of one contended bucket, claimed in advance by several cells, so that threads that use the
 * same key don't compete for the same cache line. Thread-safe.
 *
 * <p>While the stripes are open, the slot of the bucket is held, and its word is the state as if
 * all claimed tokens were spent. Only {@link #tryTake} works without the {@link KeyLock} of the
 * key. Every other operation on the bucket finds the slot held, takes the lock and closes the
 * stripes, which returns what is left in the cells:
 *
 * <pre>
 *   fullAt of the bucket = fullAt of its word - units left in all cells
 * </pre>
 *
 * <p>This is the bucket without stripes as long as that bucket never becomes full in between,
 * because a full bucket stops refilling. So a cell is used only while the end of its claim is at
 * least {@link #reserve} ahead of the clock, which is more than all cells can have left.
 *
 * <p>A cell is one word, so that a compare-and-set of it can't combine two claims:
 *
 * <pre>
 *   63                                              n   n-1          0
 *  +---------------------------------------------------+--------------+
 *  | fullAt of the bucket after the claim of the cell, | units left,  |
 *  | a multiple of the block; laid out as in BucketWord| below 2^n    |
 *  +---------------------------------------------------+--------------+
 *   0 = nothing left             2^n = two blocks
 * </pre>
 */
final class Stripes {
  /** The distance between cells: two cache lines, because some processors fetch lines in pairs. */
  private static final int WORDS_PER_CELL = 16;

  private static final long MAX_BLOCK_THOUSANDTHS = 1_024_000;
  private static final long SPREAD = 0x9e3779b9L;

  /** The index of the bucket's state in the words of its segment. */
  final int slot;

  /** The stripes of another bucket in the same segment. */
  final @Nullable Stripes next;

  private final long burst;

  /** The units of a claim, a power of two. */
  private final long block;

  /** More units than all cells together can have left. */
  private final long reserve;

  private final long maxCost;
  private final int cellCount;
  private final long[] cells;

  /** Changes only under the lock of the key. */
  private volatile boolean open;

  Stripes(int slot, FixedPointRate fixedRate, Striping striping, @Nullable Stripes next) {
    this.slot = slot;
    this.next = next;
    this.burst = fixedRate.burst();
    // All cells together can have an eighth of the burst left.
    long share = burst / (16L * striping.cells());
    this.block = Long.highestOneBit(Math.min(share, fixedRate.units(MAX_BLOCK_THOUSANDTHS)));
    this.reserve = 2 * block * striping.cells();
    this.maxCost = block / striping.takesPerClaim();
    this.cellCount = striping.cells();
    this.cells = new long[(striping.cells() + 1) * WORDS_PER_CELL];
  }

  boolean isOpen() {
    return open;
  }

  /**
   * Takes tokens from the cell of this thread.
   *
   * @return an upper bound of the debt; negative if the cell can't serve the request
   */
  long tryTake(long now, long cost) {
    int i = cell();
    while (true) {
      long cell = (long) WORDS.getAcquire(cells, i);
      long left = left(cell);
      long ahead = BucketWord.fullAt(cell - left) - now;
      if (left < cost || !isInRange(ahead)) {
        return -1;
      }
      if (WORDS.compareAndSet(cells, i, cell, cell - cost)) {
        return ahead;
      }
    }
  }

  /** Opens the stripes if the bucket is far from full and from empty. Requires the key's lock. */
  void open(long[] words, long now, long cost) {
    long word = (long) WORDS.getAcquire(words, slot);
    long debt = BucketWord.fullAt(word) - now;
    if ((word & HELD) == 0
        && cost <= maxCost
        && debt >= 2 * reserve
        && debt <= burst - reserve
        && WORDS.compareAndSet(words, slot, word, word | HELD)) {
      open = true;
    }
  }

  /**
   * Makes sure that the cell of this thread can serve the request, by another claim if necessary;
   * false if the bucket is too full or too empty, or the stripes are closed. Requires the key's
   * lock.
   */
  boolean refill(long[] words, long now, long cost) {
    if (!open || cost > maxCost) {
      return false;
    }
    int i = cell();
    long cell = (long) WORDS.getAcquire(cells, i);
    if (left(cell) >= cost) {
      return isInRange(BucketWord.fullAt(cell - left(cell)) - now);
    }
    long fullAt = BucketWord.fullAt(words[slot]);
    // At least one block and less than two: one, unless it is the first claim.
    long end = (fullAt + 2 * block - 1) & -block;
    if (!isInRange(end - now)) {
      return false;
    }
    WORDS.setRelease(words, slot, BucketWord.word(end) | HELD);
    // Other threads may take from the cell meanwhile, but only the owner of the lock moves its end.
    long move = BucketWord.word(end) - (cell - left(cell));
    WORDS.getAndAdd(cells, i, move + end - fullAt);
    return true;
  }

  /** Closes the stripes, and returns what is left to the bucket. Requires the key's lock. */
  void close(long[] words) {
    if (!open) {
      return;
    }
    long left = 0;
    for (int i = WORDS_PER_CELL; i < cells.length; i += WORDS_PER_CELL) {
      left += left((long) WORDS.getAndSet(cells, i, 0L));
    }
    open = false;
    WORDS.setRelease(words, slot, BucketWord.word(BucketWord.fullAt(words[slot]) - left));
  }

  private long left(long cell) {
    return cell & (2 * block - 1);
  }

  /**
   * Whether a claim whose end is {@code ahead} of the clock can be used. Beyond the burst, the
   * clock has been read before the claim, or has stepped back.
   */
  private boolean isInRange(long ahead) {
    return ahead >= reserve && ahead <= burst;
  }

  /** The index of the cell of this thread. Padding precedes the first cell. */
  private int cell() {
    long hash = (Thread.currentThread().getId() * SPREAD) & 0xffff_ffffL;
    return ((int) ((hash * cellCount) >>> 32) + 1) * WORDS_PER_CELL;
  }
}
