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
    public Decision take(List<Claim> claims) {
      return Decision.all(
          claims.stream()
              .map(claim -> claim.buckets().take(claim.key(), claim.costThousandths(), 0))
              .toArray(Decision[]::new));
    }

    @Override
    public CompletionStage<Decision> takeAsync(List<Claim> claims) {
      return CompletableFuture.completedFuture(take(claims));
    }

    @Override
    public CompletionStage<Decision> peekAsync(List<Claim> claims) {
      return takeAsync(claims);
    }

    @Override
    public boolean decidesImmediately() {
      return true;
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
    public boolean tryTake(String key, long costThousandths) {
      return store.allows;
    }

    @Override
    public Decision take(String key, long costThousandths, long maxDelayNanos) {
      return store.allows
          ? Decision.allow(name, limit, limit.burstThousandths(), 0, 0)
          : Decision.deny(name, limit, 0, 0, store.retryAfterNanos);
    }

    @Override
    public CompletionStage<Decision> takeAsync(
        String key, long costThousandths, long maxDelayNanos) {
      return CompletableFuture.completedFuture(take(key, costThousandths, maxDelayNanos));
    }

    @Override
    public CompletionStage<Void> charge(String key, long costThousandths) {
      return CompletableFuture.completedStage(null);
    }

    @Override
    public CompletionStage<Void> refund(String key, long costThousandths) {
      return CompletableFuture.completedStage(null);
    }

    @Override
    public CompletionStage<Void> reset(String key) {
      return CompletableFuture.completedStage(null);
    }
  }
}
