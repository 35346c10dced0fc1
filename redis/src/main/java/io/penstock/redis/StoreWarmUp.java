package io.penstock.redis;

import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.StoreOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/**
 * Requests without effect that load the classes of a decision and let the JIT compile them. They
 * cost nothing, so they change no bucket, and have a long deadline, so that a cold JVM doesn't make
 * Redis look slow.
 */
final class StoreWarmUp {
  private static final int ROUNDS = 300;
  private static final int CALLERS = 16;
  private static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final Limit LIMIT = Limit.perSecond(1_000).burst(1_000);

  private StoreWarmUp() {}

  static void run(RedisStore store) {
    RedisBuckets buckets = new RedisBuckets(store, "warm-up", LIMIT, StoreOptions.DEFAULT);
    long endNanos = System.nanoTime() + MAX_NANOS;
    for (int i = 0; i < ROUNDS && endNanos - System.nanoTime() > 0; i++) {
      List<CompletionStage<Decision>> pending = new ArrayList<>(CALLERS);
      for (int caller = 0; caller < CALLERS; caller++) {
        pending.add(store.dispatcher().executeAsync(request(buckets, "async" + caller)));
      }
      store.dispatcher().await(request(buckets, "sync"));
      CompletableFuture.allOf(
              pending.stream()
                  .map(CompletionStage::toCompletableFuture)
                  .toArray(CompletableFuture<?>[]::new))
          .exceptionally(ignored -> null)
          .join();
    }
  }

  private static PendingRequest request(RedisBuckets buckets, String key) {
    return new PendingRequest(
        Operation.TAKE, List.of(buckets.claim(key, 0, 0)), System.nanoTime() + MAX_NANOS);
  }
}
