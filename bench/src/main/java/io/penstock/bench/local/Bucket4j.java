package io.penstock.bench.local;

import io.github.bucket4j.Bandwidth;
import io.github.bucket4j.BandwidthBuilder;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.local.SynchronizationStrategy;

/**
 * Bucket4j with one greedily refilled bandwidth, as its documents show it. All buckets share the
 * bandwidth, which is immutable: one for each would cost them memory.
 *
 * <p>The precision stays at the default, milliseconds. By 5 forks of each on a busy machine, on a
 * hot key with 2 threads, synchronized buckets were faster so than with nanoseconds (medians of 31
 * and 14 M ops/s allowed, 28 and 18 denied); lock-free ones and those in a map did not differ
 * beyond noise.
 */
final class Bucket4j {
  private final Bandwidth bandwidth;
  private final SynchronizationStrategy strategy;

  Bucket4j(Terms terms, SynchronizationStrategy strategy) {
    this.bandwidth =
        BandwidthBuilder.builder()
            .capacity(terms.burst)
            .refillGreedy(terms.tokens, terms.period)
            .build();
    this.strategy = strategy;
  }

  Bucket newBucket() {
    return Bucket.builder().addLimit(bandwidth).withSynchronizationStrategy(strategy).build();
  }
}
