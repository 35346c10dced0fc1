package io.penstock.inprocess;

/**
 * When and how contended buckets are striped. Tests use other values to stripe every bucket.
 *
 * @param lostRaces how many compare-and-sets one request loses before its bucket is striped
 * @param cells the number of cells of a striped bucket, a power of two
 * @param takesPerClaim how many requests one claim has to serve, at least
 */
record Striping(int lostRaces, int cells, int takesPerClaim) {
  private static final int MAX_CELLS = 16;
  private static final int CELLS_PER_PROCESSOR = 4;

  static final Striping DEFAULT = new Striping(3, defaultCells(), 16);

  /** More cells than processors, so that two threads rarely share one. */
  private static int defaultCells() {
    int wanted = CELLS_PER_PROCESSOR * Runtime.getRuntime().availableProcessors();
    return Integer.highestOneBit(Math.min(MAX_CELLS, wanted));
  }
}
