package io.penstock.bench.contest;

/** The decision that all entries of a table must make. */
public enum ExpectedOutcome {
  ALLOWED,
  DENIED;

  private static final double MIN_SHARE = 0.999;

  /** Fails if an entry made other decisions. */
  void check(Entry entry, Sample sample) {
    long expected = this == ALLOWED ? sample.allowed() : sample.denied();
    long all = sample.allowed() + sample.denied();
    if (all == 0 || expected < MIN_SHARE * all) {
      throw new FailedRunException(
          "%s: %d of %d decisions were %s, less than 99.9 %%"
              .formatted(entry, expected, all, this));
    }
  }
}
