package io.penstock.server.envoy;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A descriptor of a request.
 *
 * @param override the limit to apply; null for the configured one
 * @param hits how much it counts; 0 checks the limit without counting
 * @param statesHits whether the descriptor states the hits, and not the request
 * @param refunds whether the hits are given back instead of taken
 */
record DescriptorQuery(
    List<DescriptorEntry> entries,
    @Nullable LimitOverride override,
    long hits,
    boolean statesHits,
    boolean refunds) {
  /** More hits are treated as this many, which no limit allows. */
  static final long MAX_HITS = 1_000_000_000_000L;

  DescriptorQuery {
    entries = List.copyOf(entries);
  }

  /** Limits hits that may be an unsigned number. */
  static long clampHits(long unsigned) {
    return unsigned < 0 ? MAX_HITS : Math.min(unsigned, MAX_HITS);
  }
}
