package io.penstock.redis;

import io.penstock.Buckets;
import io.penstock.Consistency;
import io.penstock.Decision;
import io.penstock.FailurePolicy;
import io.penstock.Limit;
import io.penstock.NanoClock;
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
  /** How many replaced limits are sent to Redis. */
  private static final int MAX_REPLACED = 4;

  private final RedisStore store;
  private final Dispatcher dispatcher;
  private final String name;
  private final Limit limit;
  private final StoreOptions storeOptions;
  private final LimitCodec codec;
  private final String prefix;
  private final @Nullable LocalLimiter local;
  private final @Nullable LimiterLeases leases;

  RedisBuckets(RedisStore store, String name, Limit limit, StoreOptions storeOptions) {
    this(
        store,
        name,
        limit,
        storeOptions,
        List.of(),
        storeOptions.onFailure().isLocal()
            ? store.dispatcher().localLimiter(name, limit, storeOptions.onFailure())
            : null);
  }

  private RedisBuckets(
      RedisStore store,
      String name,
      Limit limit,
      StoreOptions storeOptions,
      List<FixedPointRate> replaced,
      @Nullable LocalLimiter local) {
    this.store = store;
    this.dispatcher = store.dispatcher();
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
        leased ? new LimiterLeases(this, dispatcher.leases(), storeOptions.consistency()) : null;
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

  /** The limiter that decides while Redis is unavailable; null if none does. */
  @Nullable LocalLimiter local() {
    return local;
  }

  /** The leases of this node; null with consistency {@code EXACT}. */
  @Nullable LimiterLeases leases() {
    return leases;
  }

  @Override
  public boolean isLeased(String key) {
    return leases != null && leases.hasTokens(key);
  }

  RedisClaim claim(String key, long costThousandths, long maxDelayNanos) {
    return new RedisClaim(
        this, codec, RedisKeys.of(prefix, key), key, costThousandths, maxDelayNanos);
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
      local.replaceLimit(next);
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
  public boolean tryTake(String key, long costThousandths) {
    return (leases != null && leases.tryTake(key, costThousandths))
        || dispatcher.await(newRequest(Operation.TAKE, key, costThousandths, 0)).allowed();
  }

  @Override
  public Decision take(String key, long costThousandths, long maxDelayNanos) {
    Decision fromLease = takeFromLease(key, costThousandths, maxDelayNanos);
    return fromLease != null
        ? fromLease
        : dispatcher.await(newRequest(Operation.TAKE, key, costThousandths, maxDelayNanos));
  }

  @Override
  public CompletionStage<Decision> takeAsync(String key, long costThousandths, long maxDelayNanos) {
    Decision fromLease = takeFromLease(key, costThousandths, maxDelayNanos);
    return fromLease != null
        ? CompletableFuture.completedFuture(fromLease)
        : dispatcher.executeAsync(newRequest(Operation.TAKE, key, costThousandths, maxDelayNanos));
  }

  /** Takes the cost from a lease; null if it has too little. Requests that may wait go to Redis. */
  @Nullable Decision takeFromLease(String key, long costThousandths, long maxDelayNanos) {
    return leases == null || maxDelayNanos > 0 ? null : leases.take(key, costThousandths);
  }

  @Override
  public CompletionStage<Void> charge(String key, long costThousandths) {
    return change(Operation.CHARGE, key, costThousandths);
  }

  @Override
  public CompletionStage<Void> refund(String key, long costThousandths) {
    return change(Operation.REFUND, key, costThousandths);
  }

  @Override
  public CompletionStage<Void> reset(String key) {
    return dispatcher.change(newRequest(Operation.RESET, key, 0, 0));
  }

  private CompletionStage<Void> change(Operation operation, String key, long costThousandths) {
    if (codec instanceof WindowCodec window) {
      throw window.onlyTokenBuckets(operation.name().toLowerCase(Locale.ROOT));
    }
    return dispatcher.change(newRequest(operation, key, costThousandths, 0));
  }

  private PendingRequest newRequest(
      Operation operation, String key, long costThousandths, long maxDelayNanos) {
    return store.newRequest(operation, List.of(claim(key, costThousandths, maxDelayNanos)));
  }
}
