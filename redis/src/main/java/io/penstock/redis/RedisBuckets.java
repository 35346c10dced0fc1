package io.penstock.redis;

import io.penstock.Buckets;
import io.penstock.Consistency;
import io.penstock.Decision;
import io.penstock.FailurePolicy;
import io.penstock.Handling;
import io.penstock.Limit;
import io.penstock.NanoClock;
import io.penstock.RateLimiter;
import io.penstock.TokenBucket;
import io.penstock.WindowLimit;
import io.penstock.algorithm.Pace;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Buckets of one name in Redis under one limit. Thread-safe. */
final class RedisBuckets implements Buckets {
  /** Of limits that were replaced, so many are remembered. */
  private static final int MOST_REPLACED = 4;

  private final RedisStore store;
  private final String name;
  private final Limit limit;
  private final Handling handling;
  private final Terms terms;
  private final String prefix;
  private final @Nullable RateLimiter local;
  private final @Nullable Leases leases;

  RedisBuckets(RedisStore store, String name, Limit limit, Handling handling) {
    this(
        store,
        name,
        limit,
        handling,
        List.of(),
        handling.onFailure() == FailurePolicy.LOCAL
            ? RateLimiter.on(store.local(), name, store.localShare(name, limit))
            : null);
  }

  private RedisBuckets(
      RedisStore store,
      String name,
      Limit limit,
      Handling handling,
      List<Pace> replaced,
      @Nullable RateLimiter local) {
    this.store = store;
    this.name = name;
    this.limit = limit;
    this.handling = handling;
    this.terms =
        limit instanceof TokenBucket bucket
            ? new BucketTerms(name, bucket, replaced)
            : new WindowTerms(name, (WindowLimit) limit);
    this.prefix = Keys.prefix(store.keyPrefix(), terms.family(), name);
    this.local = local;
    boolean leased = handling.consistency() != Consistency.EXACT && limit instanceof TokenBucket;
    this.leases =
        leased ? new Leases(this, store.dispatch().leasing(), handling.consistency()) : null;
  }

  String name() {
    return name;
  }

  Limit limit() {
    return limit;
  }

  FailurePolicy onFailure() {
    return handling.onFailure();
  }

  /** This node's own limiter for the time when Redis is away; only there by the policy for it. */
  @Nullable RateLimiter local() {
    return local;
  }

  /** What this node has taken in advance; null if it never does. */
  @Nullable Leases leases() {
    return leases;
  }

  @Override
  public boolean isLeased(String key) {
    return leases != null && leases.holds(key);
  }

  Part part(String key, long thousandths, long maxDelayNanos) {
    return new Part(this, terms, Keys.of(prefix, key), key, thousandths, maxDelayNanos);
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
    List<Pace> replaced = new ArrayList<>();
    if (terms instanceof BucketTerms old) {
      replaced.add(old.pace());
      replaced.addAll(old.replaced());
    }
    List<Pace> recent = replaced.subList(0, Math.min(MOST_REPLACED, replaced.size()));
    endLeases();
    if (local != null) {
      local.replaceLimit(store.localShare(name, next));
    }
    return new RedisBuckets(store, name, next, handling, recent, local);
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
        || store.dispatch().await(ask(Ask.What.TAKE, key, cost, 0)).allowed();
  }

  @Override
  public Decision take(String key, long cost, long maxDelayNanos) {
    Decision here = takeHere(key, cost, maxDelayNanos);
    return here != null
        ? here
        : store.dispatch().await(ask(Ask.What.TAKE, key, cost, maxDelayNanos));
  }

  @Override
  public CompletionStage<Decision> takeAsync(String key, long cost, long maxDelayNanos) {
    Decision here = takeHere(key, cost, maxDelayNanos);
    return here != null
        ? CompletableFuture.completedFuture(here)
        : store.dispatch().later(ask(Ask.What.TAKE, key, cost, maxDelayNanos));
  }

  /** Takes what this node has in advance; null if that is not enough. Who may wait asks Redis. */
  @Nullable Decision takeHere(String key, long cost, long maxDelayNanos) {
    return leases == null || maxDelayNanos > 0 ? null : leases.take(key, cost);
  }

  @Override
  public CompletionStage<Void> charge(String key, long cost) {
    return change(Ask.What.CHARGE, key, cost);
  }

  @Override
  public CompletionStage<Void> refund(String key, long cost) {
    return change(Ask.What.REFUND, key, cost);
  }

  @Override
  public CompletionStage<Void> reset(String key) {
    return store.dispatch().change(ask(Ask.What.RESET, key, 0, 0));
  }

  private CompletionStage<Void> change(Ask.What what, String key, long cost) {
    if (terms instanceof WindowTerms window) {
      throw window.onlyTokenBuckets(what.name().toLowerCase(Locale.ROOT));
    }
    return store.dispatch().change(ask(what, key, cost, 0));
  }

  private Ask ask(Ask.What what, String key, long cost, long maxDelayNanos) {
    return store.ask(what, List.of(part(key, cost, maxDelayNanos)));
  }
}
