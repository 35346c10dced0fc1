package io.penstock.redis;

import io.penstock.Buckets;
import io.penstock.Consistency;
import io.penstock.Decision;
import io.penstock.FailurePolicy;
import io.penstock.Limit;
import io.penstock.NanoClock;
import io.penstock.RateLimiter;
import io.penstock.StoreOptions;
import io.penstock.TokenBucket;
import io.penstock.WindowLimit;
import io.penstock.algorithm.FixedPointRate;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The buckets with one name in Redis, under one limit. Thread-safe. */
final class RedisBuckets implements Buckets {
  /** How many replaced limits are remembered. */
  private static final int MAX_REPLACED = 4;

  private final RedisStore store;
  private final String name;
  private final Limit limit;
  private final StoreOptions storeOptions;
  private final LimitCodec codec;
  private final String prefix;
  private final @Nullable RateLimiter local;
  private final @Nullable Leases leases;

  RedisBuckets(RedisStore store, String name, Limit limit, StoreOptions storeOptions) {
    this(
        store,
        name,
        limit,
        storeOptions,
        List.of(),
        storeOptions.onFailure() == FailurePolicy.LOCAL
            ? RateLimiter.on(store.local(), name, store.localShare(name, limit))
            : null);
  }

  private RedisBuckets(
      RedisStore store,
      String name,
      Limit limit,
      StoreOptions storeOptions,
      List<FixedPointRate> replaced,
      @Nullable RateLimiter local) {
    this.store = store;
    this.name = name;
    this.limit = limit;
    this.storeOptions = storeOptions;
    this.codec =
        limit instanceof TokenBucket bucket
            ? new TokenBucketCodec(name, bucket, replaced)
            : new WindowCodec(name, (WindowLimit) limit);
    this.prefix = RedisKeys.prefix(store.keyPrefix(), codec.family(), name);
    this.local = local;
    boolean leased =
        storeOptions.consistency() != Consistency.EXACT && limit instanceof TokenBucket;
    this.leases =
        leased ? new Leases(this, store.dispatch().leasing(), storeOptions.consistency()) : null;
  }

  String name() {
    return name;
  }

  Limit limit() {
    return limit;
  }

  FailurePolicy onFailure() {
    return storeOptions.onFailure();
  }

  /**
   * The limiter that decides while Redis is unavailable; null unless the failure policy is {@code
   * LOCAL}.
   */
  @Nullable RateLimiter local() {
    return local;
  }

  /** The leases of this node; null with consistency {@code EXACT}. */
  @Nullable Leases leases() {
    return leases;
  }

  @Override
  public boolean isLeased(String key) {
    return leases != null && leases.holds(key);
  }

  BucketRequest part(String key, long thousandths, long maxDelayNanos) {
    return new BucketRequest(
        this, codec, RedisKeys.of(prefix, key), key, thousandths, maxDelayNanos);
  }

  @Override
  public RedisStore store() {
    return store;
  }

  @Override
  public NanoClock clock() {
    return NanoClock.system();
  }

  @Override
  public Buckets replacedBy(Limit next) {
    List<FixedPointRate> replaced = new ArrayList<>();
    if (codec instanceof TokenBucketCodec old) {
      replaced.add(old.fixedRate());
      replaced.addAll(old.replaced());
    }
    List<FixedPointRate> recent = replaced.subList(0, Math.min(MAX_REPLACED, replaced.size()));
    endLeases();
    if (local != null) {
      local.replaceLimit(store.localShare(name, next));
    }
    return new RedisBuckets(store, name, next, storeOptions, recent, local);
  }

  @Override
  public void retire() {
    endLeases();
    if (local != null) {
      local.retire();
    }
  }

  private void endLeases() {
    if (leases != null) {
      leases.end();
    }
  }

  @Override
  public boolean tryTake(String key, long cost) {
    return (leases != null && leases.tryTake(key, cost))
        || store
            .dispatch()
            .await(newRequest(PendingRequest.RequestKind.TAKE, key, cost, 0))
            .allowed();
  }

  @Override
  public Decision take(String key, long cost, long maxDelayNanos) {
    Decision fromLease = takeFromLease(key, cost, maxDelayNanos);
    return fromLease != null
        ? fromLease
        : store
            .dispatch()
            .await(newRequest(PendingRequest.RequestKind.TAKE, key, cost, maxDelayNanos));
  }

  @Override
  public CompletionStage<Decision> takeAsync(String key, long cost, long maxDelayNanos) {
    Decision fromLease = takeFromLease(key, cost, maxDelayNanos);
    return fromLease != null
        ? CompletableFuture.completedFuture(fromLease)
        : store
            .dispatch()
            .executeAsync(newRequest(PendingRequest.RequestKind.TAKE, key, cost, maxDelayNanos));
  }

  /** Takes the cost from a lease; null if it has too little. Requests that may wait go to Redis. */
  @Nullable Decision takeFromLease(String key, long cost, long maxDelayNanos) {
    return leases == null || maxDelayNanos > 0 ? null : leases.take(key, cost);
  }

  @Override
  public CompletionStage<Void> charge(String key, long cost) {
    return change(PendingRequest.RequestKind.CHARGE, key, cost);
  }

  @Override
  public CompletionStage<Void> refund(String key, long cost) {
    return change(PendingRequest.RequestKind.REFUND, key, cost);
  }

  @Override
  public CompletionStage<Void> reset(String key) {
    return store.dispatch().change(newRequest(PendingRequest.RequestKind.RESET, key, 0, 0));
  }

  private CompletionStage<Void> change(PendingRequest.RequestKind kind, String key, long cost) {
    if (codec instanceof WindowCodec window) {
      throw window.onlyTokenBuckets(kind.name().toLowerCase(Locale.ROOT));
    }
    return store.dispatch().change(newRequest(kind, key, cost, 0));
  }

  private PendingRequest newRequest(
      PendingRequest.RequestKind kind, String key, long cost, long maxDelayNanos) {
    return store.newRequest(kind, List.of(part(key, cost, maxDelayNanos)));
  }
}
