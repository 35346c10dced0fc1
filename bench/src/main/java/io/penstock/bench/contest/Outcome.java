package io.penstock.bench.contest;

/** The answer that a row is about. */
public enum Outcome {
  ALLOWED,
  DENIED;

  private static final double MIN_SHARE = 0.999;

  /** Nothing is won by answering something else. */
  void check(Entry entry, Sample sample) {
    long named = this == ALLOWED ? sample.allowed() : sample.denied();
    long all = sample.allowed() + sample.denied();
    if (all == 0 || named < MIN_SHARE * all) {
      throw new FailedRunException(
          "%s: %d of %d answers were %s, fewer than 99.9 %%".formatted(entry, named, all, this));
    }
  }
}
