package io.penstock.server.admin;

import io.penstock.Decision;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.RuleKey;
import io.penstock.server.figures.TopKey;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The levels of the keys that are denied most, for the stream. They are read in the background, so
 * they are as old as the interval between two calls. Thread-safe.
 */
final class TopLevels {
  private final AtomicBoolean reading = new AtomicBoolean();
  private volatile Map<RuleKey, Decision> levels = Map.of();

  /**
   * Returns the levels that were read after the last call, without those that could not be read,
   * and starts to read those of {@code keys}. Of several buckets, it is the one with the smallest
   * share left.
   */
  Map<RuleKey, Decision> next(List<TopKey> keys, PolicyEngine engine) {
    Map<RuleKey, Decision> latest = levels;
    if (reading.compareAndSet(false, true)) {
      read(keys, engine);
    }
    return latest;
  }

  private void read(List<TopKey> keys, PolicyEngine engine) {
    Map<RuleKey, Decision> found = new ConcurrentHashMap<>();
    CompletableFuture<?>[] reads =
        keys.stream()
            .map(key -> new RuleKey(key.rule(), key.key()))
            .map(of -> read(of, engine, found))
            .toArray(CompletableFuture<?>[]::new);
    var unused =
        CompletableFuture.allOf(reads)
            .whenComplete(
                (done, failure) -> {
                  levels = Map.copyOf(found);
                  reading.set(false);
                });
  }

  private static CompletableFuture<Void> read(
      RuleKey of, PolicyEngine engine, Map<RuleKey, Decision> found) {
    try {
      return engine
          .buckets(of)
          .map(
              buckets ->
                  buckets
                      .peek()
                      .thenAccept(levels -> found.put(of, tightest(levels)))
                      .toCompletableFuture())
          .orElseGet(() -> CompletableFuture.completedFuture(null));
    } catch (RuntimeException failure) {
      return CompletableFuture.failedFuture(failure);
    }
  }

  private static Decision tightest(List<Decision> levels) {
    return levels.stream()
        .min(
            Comparator.comparingDouble(
                level -> level.remainingThousandths() / (double) level.limit().burstThousandths()))
        .orElseThrow();
  }
}
