package io.penstock.redis;

import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.penstock.Buckets;
import io.penstock.Claim;
import io.penstock.Decision;
import io.penstock.FailurePolicy;
import io.penstock.Limit;
import io.penstock.Store;
import io.penstock.StoreException;
import io.penstock.StoreOptions;
import io.penstock.TokenBucket;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * A store in Redis or Valkey, shared by any number of nodes. Thread-safe.
 *
 * <pre>{@code
 * var store = RedisStore.connect("redis://localhost");
 * var search = RateLimiter.on(store, "search", Limit.perMinute(100).burst(20));
 * }</pre>
 *
 * <p>Close the store when the application shuts down, so that it returns its leases and closes its
 * connections. Requests in flight are then completed by the failure policy; later ones fail with a
 * {@link StoreException}.
 *
 * <p>Every decision returns by its deadline, or at most 10 ms later (P8 in GUARANTEES.md). While
 * Redis is unavailable, the failure policy of the limiter decides, and the decision is marked as
 * degraded. Continuations of asynchronous decisions run on the thread that reads from Redis or on
 * the timer thread, so they must not block.
 */
public final class RedisStore implements Store {
  /** How long {@link #close} waits until Redis has processed returned leases. */
  private static final long MAX_REFUND_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final int MILLIS_DIGITS = 3;

  private final String keyPrefix;
  private final long deadlineNanos;
  private final Dispatcher dispatcher;

  /**
   * @param address the address of the server or servers for messages; empty if it is unknown
   */
  RedisStore(
      RedisStoreBuilder settings, String address, Function<StoreAssembler, Topology> topology) {
    this.keyPrefix = settings.keyPrefix();
    this.deadlineNanos = settings.deadline().toNanos();
    this.dispatcher = new Dispatcher(settings, address, topology);
    if (settings.failFast() && !isAvailable()) {
      String reason = unavailableReason();
      close();
      throw new StoreException(
          reason.isEmpty() ? noAttemptCompleted(address, settings.startTimeout()) : reason, null);
    }
  }

  static String noAttemptCompleted(String address, Duration timeout) {
    String seconds =
        BigDecimal.valueOf(timeout.toMillis(), MILLIS_DIGITS).stripTrailingZeros().toPlainString();
    return "Cannot connect to "
        + RedisOutage.redisAt(address)
        + ": no connection attempt was completed within "
        + seconds
        + " s; this process may lack CPU time";
  }

  /**
   * Creates a store on the Redis at {@code url}: {@code redis://}, {@code rediss://}, {@code
   * redis-sentinel://}, {@code redis-socket://}, or {@code redis-cluster://} with some servers of a
   * cluster, with user and password if necessary. Redis need not be available yet.
   */
  public static RedisStore connect(String url) {
    return builder().connect(url);
  }

  /**
   * Checks whether {@link #connect} would accept a URL.
   *
   * @throws IllegalArgumentException if it would not
   */
  public static void checkUrl(String url) {
    if (ClusterUrl.isClusterUrl(url)) {
      ClusterUrl.servers(url);
    } else {
      parse(url);
    }
  }

  /** Parses the URL of one server or of sentinels. Messages never contain a password. */
  static RedisURI parse(String url) {
    if (!url.contains("://")) {
      throw new IllegalArgumentException(
          "the Redis URL must begin with redis://, rediss://, redis-sentinel:// or"
              + " redis-cluster://, such as redis://localhost:6379");
    }
    return RedisURI.create(url);
  }

  /** Creates a store on a connection that belongs to the application. */
  public static RedisStore on(StatefulRedisConnection<byte[], byte[]> connection) {
    return builder().on(connection);
  }

  /** Creates a store on a cluster connection that belongs to the application. */
  public static RedisStore on(StatefulRedisClusterConnection<byte[], byte[]> connection) {
    return builder().on(connection);
  }

  public static RedisStoreBuilder builder() {
    return new RedisStoreBuilder();
  }

  String keyPrefix() {
    return keyPrefix;
  }

  @Override
  public String kind() {
    return "redis";
  }

  /** Whether Redis is available, as far as is known; for a cluster, for all keys. */
  @Override
  public boolean isAvailable() {
    return dispatcher.isAvailable();
  }

  /** Why and where Redis is unavailable; empty if it is available, or if that is unknown yet. */
  public Optional<RedisOutage> outage() {
    return Optional.ofNullable(dispatcher.outage());
  }

  /**
   * Why Redis is unavailable, as a sentence such as "Cannot connect to Redis at redis:6379 (NOAUTH:
   * the server requires a password, and none is configured)"; empty if it is available.
   */
  @Override
  public String unavailableReason() {
    return outage().map(RedisOutage::toString).orElse("");
  }

  /**
   * Runs requests that change no bucket, for up to a second, or two if Redis is slow, so that the
   * first decisions of a cold JVM meet their deadline. Does nothing if Redis is unavailable. Call
   * it before the store is used: the observer receives no events of decisions meanwhile.
   */
  public void warmUp() {
    if (isAvailable()) {
      dispatcher.observer().pause(true);
      try {
        StoreWarmUp.run(this);
      } finally {
        dispatcher.observer().pause(false);
      }
    }
  }

  @Override
  public Buckets buckets(String name, Limit limit, StoreOptions storeOptions) {
    return new RedisBuckets(this, name, limit, storeOptions);
  }

  @Override
  public void check(String name, Limit limit, StoreOptions storeOptions) {
    if (limit instanceof TokenBucket bucket) {
      TokenBucketCodec.rateOf(bucket);
    }
    if (storeOptions.onFailure() == FailurePolicy.LOCAL_SHARE) {
      NodeShares.of(limit, dispatcher.nodes());
    }
  }

  Dispatcher dispatcher() {
    return dispatcher;
  }

  /** The leases of this node, for limiters that are not exact. */
  public LeaseStats leases() {
    return dispatcher.leases().stats();
  }

  @Override
  public Decision take(List<Claim> claims) {
    if (!LeasedClaims.isPossible(claims)) {
      return dispatcher.await(newRequest(Operation.TAKE, resolve(claims)));
    }
    LeasedClaims leased = LeasedClaims.reserve(resolve(claims), false);
    List<RedisClaim> rest = leased.rest();
    if (rest.isEmpty()) {
      return leased.commit();
    }
    Decision decision;
    try {
      decision = dispatcher.await(newRequest(Operation.TAKE, rest));
    } catch (RuntimeException failure) {
      leased.release();
      throw failure;
    }
    return leased.complete(decision);
  }

  @Override
  public CompletionStage<Decision> takeAsync(List<Claim> claims) {
    return executeAsync(Operation.TAKE, claims);
  }

  @Override
  public CompletionStage<Decision> peekAsync(List<Claim> claims) {
    return executeAsync(Operation.PEEK, claims);
  }

  private CompletionStage<Decision> executeAsync(Operation operation, List<Claim> claims) {
    if (!LeasedClaims.isPossible(claims)) {
      return dispatcher.executeAsync(newRequest(operation, resolve(claims)));
    }
    LeasedClaims leased = LeasedClaims.reserve(resolve(claims), operation == Operation.PEEK);
    List<RedisClaim> rest = leased.rest();
    if (rest.isEmpty()) {
      return CompletableFuture.completedFuture(leased.commit());
    }
    return dispatcher
        .executeAsync(newRequest(operation, rest))
        .whenComplete(
            (decision, failure) -> {
              if (failure != null) {
                leased.release();
              }
            })
        .thenApply(leased::complete);
  }

  /** Resolves claims to buckets in Redis. */
  private static List<RedisClaim> resolve(List<Claim> claims) {
    List<RedisClaim> resolved = new ArrayList<>(claims.size());
    for (int i = 0; i < claims.size(); i++) {
      Claim claim = claims.get(i);
      if (!(claim.buckets() instanceof RedisBuckets buckets)) {
        throw new IllegalArgumentException("claims must be on a Redis store: " + claim.buckets());
      }
      RedisClaim next = buckets.claim(claim.key(), claim.costThousandths(), claim.maxDelayNanos());
      for (RedisClaim other : resolved) {
        if (other.redisKey().equals(next.redisKey())) {
          throw new IllegalArgumentException(
              "a bucket can be claimed only once: " + buckets.name());
        }
      }
      resolved.add(next);
    }
    return resolved;
  }

  PendingRequest newRequest(Operation operation, List<RedisClaim> claims) {
    return new PendingRequest(operation, claims, System.nanoTime() + deadlineNanos);
  }

  @Override
  public void close() {
    dispatcher.close(Math.min(MAX_REFUND_NANOS, 2 * deadlineNanos));
  }
}
