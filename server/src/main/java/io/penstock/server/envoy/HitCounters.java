package io.penstock.server.envoy;

import java.util.concurrent.atomic.LongAdder;

/** The hits of one limit, as envoyproxy/ratelimit counts them. Thread-safe. */
final class HitCounters {
  /** The share of a limit, in percent, above which its hits count as near it. */
  private static final long NEAR_PERCENT = 80;

  private final LongAdder total = new LongAdder();
  private final LongAdder within = new LongAdder();
  private final LongAdder near = new LongAdder();
  private final LongAdder over = new LongAdder();
  private final LongAdder shadow = new LongAdder();

  /** What is counted, by the names of the reference. */
  enum HitKind {
    TOTAL_HITS,
    WITHIN_LIMIT,
    NEAR_LIMIT,
    OVER_LIMIT,
    SHADOW_MODE
  }

  /** Counts the hits of a claim. */
  void add(BucketClaim claim) {
    long hits = claim.hits();
    total.add(hits);
    if (claim.isOver()) {
      over.add(hits);
      if (claim.limit().mode().shadow()) {
        shadow.add(hits);
      }
    } else if (claim.outcome() != null) {
      within.add(hits);
      long limit = claim.limit().requestsPerUnit();
      long used = limit - claim.evaluated().decision().remainingThousandths() / BucketClaim.TOKEN;
      near.add(Math.max(0, Math.min(hits, used - limit * NEAR_PERCENT / 100)));
    }
  }

  long get(HitKind kind) {
    LongAdder count =
        switch (kind) {
          case TOTAL_HITS -> total;
          case WITHIN_LIMIT -> within;
          case NEAR_LIMIT -> near;
          case OVER_LIMIT -> over;
          case SHADOW_MODE -> shadow;
        };
    return count.sum();
  }
}
