package io.penstock.testing;

import io.penstock.Buckets;
import io.penstock.Claim;
import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.NanoClock;
import io.penstock.RateLimiter;
import io.penstock.Store;
import io.penstock.StoreOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Limiters that always make the same decision and keep no state. */
public final class FixedLimiters {
  private static final Limit ANY = Limit.perSecond(1);

  private FixedLimiters() {}

  /** Creates a limiter that allows every request. */
  public static RateLimiter allowAll() {
    return RateLimiter.on(new FixedStore(true, 0), "allow-all", ANY);
  }

  /** Creates a limiter that denies every request, with the given {@code retryAfter}. */
  public static RateLimiter denyAll(Duration retryAfter) {
    if (retryAfter.isNegative()) {
      throw new IllegalArgumentException("retryAfter must not be negative: " + retryAfter);
    }
    return RateLimiter.on(new FixedStore(false, retryAfter.toNanos()), "deny-all", ANY);
  }

  private record FixedStore(boolean allows, long retryAfterNanos) implements Store {
    @Override
    public Buckets buckets(String name, Limit limit, StoreOptions storeOptions) {
      return new FixedBuckets(this, name, limit);
    }

    @Override
    public Decision decide(List<Claim> claims) {
      return Decision.all(
          claims.stream()
              .map(claim -> claim.buckets().take(claim.key(), claim.cost(), 0))
              .toArray(Decision[]::new));
    }

    @Override
    public CompletionStage<Decision> decideAsync(List<Claim> claims) {
      return CompletableFuture.completedFuture(decide(claims));
    }

    @Override
    public CompletionStage<Decision> preview(List<Claim> claims) {
      return decideAsync(claims);
    }

    @Override
    public boolean joins(Store other) {
      return other instanceof FixedStore;
    }

    @Override
    public void close() {}
  }

  private record FixedBuckets(FixedStore store, String name, Limit limit) implements Buckets {
    @Override
    public NanoClock clock() {
      return NanoClock.system();
    }

    @Override
    public Buckets replacedBy(Limit next) {
      return new FixedBuckets(store, name, next);
    }

    @Override
    public void retire() {}

    @Override
    public boolean tryTake(String key, long cost) {
      return store.allows;
    }

    @Override
    public Decision take(String key, long cost, long maxDelayNanos) {
      return store.allows
          ? Decision.allowed(name, limit, limit.burstThousandths(), 0, 0)
          : Decision.denied(name, limit, 0, 0, store.retryAfterNanos);
    }

    @Override
    public CompletionStage<Decision> takeAsync(String key, long cost, long maxDelayNanos) {
      return CompletableFuture.completedFuture(take(key, cost, maxDelayNanos));
    }

    @Override
    public CompletionStage<Void> charge(String key, long cost) {
      return CompletableFuture.completedStage(null);
    }

    @Override
    public CompletionStage<Void> refund(String key, long cost) {
      return CompletableFuture.completedStage(null);
    }

    @Override
    public CompletionStage<Void> reset(String key) {
      return CompletableFuture.completedStage(null);
    }
  }
}
