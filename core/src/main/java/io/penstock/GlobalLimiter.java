package io.penstock;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Limits all requests together, without keys. Thread-safe. A {@link RateLimiter} has one global
 * bucket in addition to those of its keys; the methods of this class apply the methods of {@link
 * RateLimiter} with the same names to that bucket.
 *
 * <pre>{@code
 * var global = RateLimiter.inProcess("global", Limit.perSecond(1000)).global();
 * if (!global.tryAcquire()) return tooMany();
 * }</pre>
 */
public final class GlobalLimiter {
  /** The key of the global bucket. Keys of callers are never empty. */
  private static final String NO_KEY = "";

  private final RateLimiter limiter;

  GlobalLimiter(RateLimiter limiter) {
    this.limiter = limiter;
  }

  /** The limiter that this is a view of, which has the name and the limit. */
  public RateLimiter limiter() {
    return limiter;
  }

  /** Takes a token if one is available. Allocates nothing for an in-process token bucket. */
  public boolean tryAcquire() {
    return limiter.bound().tryTake(NO_KEY, Tokens.ONE);
  }

  /** Takes {@code cost} tokens if they are available. */
  public boolean tryAcquire(double cost) {
    return limiter.bound().tryTake(NO_KEY, Tokens.cost(cost));
  }

  /** Takes a token if one is available, and returns the details. */
  public Decision take() {
    return take(1);
  }

  /** Takes {@code cost} tokens if they are available, and returns the details. */
  public Decision take(double cost) {
    return limiter.bound().take(NO_KEY, Tokens.cost(cost), 0);
  }

  /** Like {@link #take()}, but doesn't block on the store. */
  public CompletionStage<Decision> takeAsync() {
    return takeAsync(1);
  }

  /** Like {@link #take(double)}, but doesn't block on the store. */
  public CompletionStage<Decision> takeAsync(double cost) {
    return limiter.bound().takeAsync(NO_KEY, Tokens.cost(cost), 0);
  }

  /** Returns the state of the bucket without changing it. */
  public Decision peek() {
    return limiter.peekAt(NO_KEY, 0);
  }

  /** Returns what {@link #take(double)} would return now, without taking anything. */
  public Decision peek(double cost) {
    return limiter.peekAt(NO_KEY, cost);
  }

  /** Takes a token and blocks until it is available, or is denied immediately. */
  public Decision acquire(Duration maxWait) throws InterruptedException {
    return acquire(1, maxWait);
  }

  /** Takes {@code cost} tokens and blocks until they are available, or is denied immediately. */
  public Decision acquire(double cost, Duration maxWait) throws InterruptedException {
    return limiter.acquireAt(NO_KEY, cost, maxWait);
  }

  /** Like {@link #acquire(Duration)}, but doesn't block a thread. */
  public CompletableFuture<Decision> acquireAsync(Duration maxWait) {
    return acquireAsync(1, maxWait);
  }

  /** Like {@link #acquire(double, Duration)}, but doesn't block a thread. */
  public CompletableFuture<Decision> acquireAsync(double cost, Duration maxWait) {
    return limiter.acquireAsyncAt(NO_KEY, cost, maxWait);
  }

  /** Takes {@code cost} tokens unconditionally. */
  public void charge(double cost) {
    RateLimiter.join(chargeAsync(cost));
  }

  /** Like {@link #charge}, but doesn't block on the store. */
  public CompletionStage<Void> chargeAsync(double cost) {
    return limiter.bound().buckets().charge(NO_KEY, Tokens.cost(cost));
  }

  /** Puts {@code cost} tokens back into the bucket. */
  public void refund(double cost) {
    RateLimiter.join(refundAsync(cost));
  }

  /** Like {@link #refund}, but doesn't block on the store. */
  public CompletionStage<Void> refundAsync(double cost) {
    return limiter.bound().buckets().refund(NO_KEY, Tokens.cost(cost));
  }

  /** Refills the bucket. */
  public void reset() {
    RateLimiter.join(resetAsync());
  }

  /** Like {@link #reset}, but doesn't block on the store. */
  public CompletionStage<Void> resetAsync() {
    return limiter.bound().buckets().reset(NO_KEY);
  }

  /** A claim on one token, for {@link RateLimiter#all}. */
  public Claim at() {
    return at(1);
  }

  /** A claim on {@code cost} tokens, for {@link RateLimiter#all}. */
  public Claim at(double cost) {
    return new Claim(limiter, NO_KEY, Tokens.cost(cost), 0);
  }

  @Override
  public String toString() {
    return limiter + " without keys";
  }
}
