package io.penstock;

import io.penstock.inprocess.InProcessStore;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * Limits requests by key. Each key has its own bucket under one limit. Thread-safe.
 *
 * <pre>{@code
 * var perUser = RateLimiter.inProcess("user", Limit.perSecond(10).burst(50));
 * if (!perUser.tryAcquire(id)) return tooMany();
 * }</pre>
 *
 * <p>Costs are in tokens; a fraction of a thousandth is rounded up. A denial is a return value and
 * takes nothing. A cost of 0 reads the state without taking anything. Keys have 1 to 1024
 * characters. {@link #global()} limits all requests together, without a key.
 *
 * <p>Windows support {@code tryAcquire}, {@code take}, {@code peek} and {@code reset}. Waiting,
 * charges and refunds need a token bucket; on a window they throw {@link
 * UnsupportedOperationException}.
 */
public final class RateLimiter {
  private static final int MAX_KEY_LENGTH = 1024;

  private volatile BoundLimit bound;

  private RateLimiter(Store store, String name, Limit limit, StoreOptions storeOptions) {
    if (name == null || name.isEmpty() || name.length() > MAX_KEY_LENGTH) {
      throw new IllegalArgumentException("name must have 1 to 1024 characters: " + name);
    }
    Objects.requireNonNull(limit, "limit");
    Objects.requireNonNull(storeOptions, "storeOptions");
    this.bound = new BoundLimit(name, limit, store.buckets(name, limit, storeOptions), null);
  }

  /** Creates a limiter with its own in-process store for up to a million keys. */
  public static RateLimiter inProcess(String name, Limit limit) {
    return on(InProcessStore.create(), name, limit);
  }

  /** Creates a limiter on a store. Limiters with the same name on one store share their buckets. */
  public static RateLimiter on(Store store, String name, Limit limit) {
    return on(store, name, limit, StoreOptions.DEFAULT);
  }

  /** Creates a limiter on a store, with a consistency mode and a failure policy. */
  public static RateLimiter on(Store store, String name, Limit limit, StoreOptions storeOptions) {
    return new RateLimiter(store, name, limit, storeOptions);
  }

  /**
   * A request over several limits that takes from all or none. Each bucket can be claimed only
   * once.
   */
  public static JointRequest all(Claim... claims) {
    return new JointRequest(List.of(claims));
  }

  /** The name of this limiter, which its decisions carry. */
  public String name() {
    return bound.name();
  }

  /** The active limit. */
  public Limit limit() {
    return bound.limit();
  }

  /**
   * Replaces the active limit. Consumed tokens stay consumed, up to the new burst; only a change
   * between token bucket and window starts over. The bucket of a key refills at the old rate until
   * the key is used again.
   */
  public synchronized void replaceLimit(Limit limit) {
    Objects.requireNonNull(limit, "limit");
    BoundLimit old = bound;
    bound = new BoundLimit(old.name(), limit, old.buckets().replacedBy(limit), old.observer());
  }

  /**
   * Reports decisions to {@code observer}, in place of an earlier one. Call it before the limiter
   * is used: a {@link JointRequest} reports only to observers that were set before it was created.
   *
   * @return this limiter
   */
  public synchronized RateLimiter observedBy(LimiterObserver observer) {
    Objects.requireNonNull(observer, "observer");
    bound = new BoundLimit(bound.name(), bound.limit(), bound.buckets(), observer);
    return this;
  }

  /** The bucket that all requests share, used without a key. */
  public GlobalLimiter global() {
    return new GlobalLimiter(this);
  }

  /**
   * Deactivates the limit, so that it no longer counts as active for other limiters with the same
   * name. Consumed tokens stay consumed. This limiter must not be used afterwards.
   */
  public void retire() {
    bound.buckets().retire();
  }

  /**
   * Takes a token if one is available. Allocates nothing for a known key of an in-process token
   * bucket.
   */
  public boolean tryAcquire(String key) {
    return bound.tryTake(checked(key), Tokens.ONE);
  }

  /** Like {@link #tryAcquire(String)}, but takes {@code cost} tokens. */
  public boolean tryAcquire(String key, double cost) {
    return bound.tryTake(checked(key), Tokens.cost(cost));
  }

  /** Takes a token if one is available, and returns the details. */
  public Decision take(String key) {
    return take(key, 1);
  }

  /** Takes {@code cost} tokens if they are available, and returns the details. */
  public Decision take(String key, double cost) {
    return bound.take(checked(key), Tokens.cost(cost), 0);
  }

  /** Like {@link #take(String)}, but doesn't block on the store. */
  public CompletionStage<Decision> takeAsync(String key) {
    return takeAsync(key, 1);
  }

  /** Like {@link #take(String, double)}, but doesn't block on the store. */
  public CompletionStage<Decision> takeAsync(String key, double cost) {
    return bound.takeAsync(checked(key), Tokens.cost(cost), 0);
  }

  /**
   * Returns the state of the key's bucket without changing it: what {@link #take(String, double)}
   * would return for a cost of 0.
   */
  public Decision peek(String key) {
    return peekAt(checked(key), 0);
  }

  /** Returns what {@link #take(String, double)} would return now, without taking anything. */
  public Decision peek(String key, double cost) {
    return peekAt(checked(key), cost);
  }

  Decision peekAt(String key, double cost) {
    Buckets buckets = bound.buckets();
    long costThousandths = Tokens.cost(cost);
    return costThousandths == 0
        ? buckets.take(key, 0, 0)
        : join(buckets.store().peekAsync(List.of(new Claim(this, key, costThousandths, 0))));
  }

  /**
   * Takes a token and blocks until it is available.
   *
   * @see #acquire(String, double, Duration)
   */
  public Decision acquire(String key, Duration maxWait) throws InterruptedException {
    return acquire(key, 1, maxWait);
  }

  /**
   * Takes {@code cost} tokens and blocks until they are available. Callers are served in the order
   * of their calls. A call that can't be served within {@code maxWait} is denied immediately.
   *
   * @throws InterruptedException if interrupted while waiting; the tokens are returned
   */
  public Decision acquire(String key, double cost, Duration maxWait) throws InterruptedException {
    return acquireAt(checked(key), cost, maxWait);
  }

  Decision acquireAt(String key, double cost, Duration maxWait) throws InterruptedException {
    BoundLimit taking = bound;
    long costThousandths = Tokens.cost(cost);
    Decision decision = taking.take(key, costThousandths, waitNanos("maxWait", maxWait));
    if (decision.delayNanos() > 0) {
      try {
        taking.buckets().clock().sleep(decision.delayNanos());
      } catch (InterruptedException interrupted) {
        try {
          join(giveBack(decision, key, costThousandths));
        } catch (RuntimeException lost) {
          interrupted.addSuppressed(lost);
        }
        throw interrupted;
      }
    }
    return decision;
  }

  /** Like {@link #acquireAsync(String, double, Duration)}, for one token. */
  public CompletableFuture<Decision> acquireAsync(String key, Duration maxWait) {
    return acquireAsync(key, 1, maxWait);
  }

  /**
   * Like {@link #acquire(String, double, Duration)}, but doesn't block a thread: completes when the
   * tokens are available, or immediately with a denial. Cancelling it before then returns the
   * tokens.
   */
  public CompletableFuture<Decision> acquireAsync(String key, double cost, Duration maxWait) {
    return acquireAsyncAt(checked(key), cost, maxWait);
  }

  CompletableFuture<Decision> acquireAsyncAt(String key, double cost, Duration maxWait) {
    long costThousandths = Tokens.cost(cost);
    CompletionStage<Decision> taken =
        bound.takeAsync(key, costThousandths, waitNanos("maxWait", maxWait));
    return new PendingAcquire(this, key, costThousandths).until(taken);
  }

  /**
   * Returns the tokens of a cancelled wait, under the limit that is active now. A degraded decision
   * took nothing from the store, or its response was late and the store refunds the tokens itself.
   */
  CompletionStage<Void> giveBack(Decision taken, String key, long costThousandths) {
    BoundLimit now = bound;
    return now.limit() instanceof TokenBucket && !taken.degraded()
        ? now.buckets().refund(key, costThousandths)
        : CompletableFuture.completedStage(null);
  }

  Buckets buckets() {
    return bound.buckets();
  }

  BoundLimit bound() {
    return bound;
  }

  /**
   * Takes {@code cost} tokens unconditionally, for costs that are known only afterwards. The bucket
   * can go down to one burst below empty; it allows nothing until it has recovered from that.
   */
  public void charge(String key, double cost) {
    join(chargeAsync(key, cost));
  }

  /** Like {@link #charge}, but doesn't block on the store. */
  public CompletionStage<Void> chargeAsync(String key, double cost) {
    return bound.buckets().charge(checked(key), Tokens.cost(cost));
  }

  /** Puts {@code cost} tokens back into the bucket, which never exceeds its burst. */
  public void refund(String key, double cost) {
    join(refundAsync(key, cost));
  }

  /** Like {@link #refund}, but doesn't block on the store. */
  public CompletionStage<Void> refundAsync(String key, double cost) {
    return bound.buckets().refund(checked(key), Tokens.cost(cost));
  }

  /** Refills the bucket of the key. */
  public void reset(String key) {
    join(resetAsync(key));
  }

  /** Like {@link #reset}, but doesn't block on the store. */
  public CompletionStage<Void> resetAsync(String key) {
    return bound.buckets().reset(checked(key));
  }

  /** A claim on one token, for {@link #all}. */
  public Claim at(String key) {
    return at(key, 1);
  }

  /** A claim on {@code cost} tokens, for {@link #all}. */
  public Claim at(String key, double cost) {
    return new Claim(this, checked(key), Tokens.cost(cost), 0);
  }

  @Override
  public String toString() {
    return "RateLimiter " + bound.name() + " " + bound.limit();
  }

  /**
   * Converts a maximum wait to nanoseconds; durations out of range become {@link Long#MAX_VALUE}.
   */
  static long waitNanos(String name, Duration wait) {
    if (wait.isNegative()) {
      throw new IllegalArgumentException(name + " must not be negative: " + wait);
    }
    try {
      return wait.toNanos();
    } catch (ArithmeticException tooLong) {
      return Long.MAX_VALUE;
    }
  }

  private static String checked(String key) {
    if (key == null || key.isEmpty() || key.length() > MAX_KEY_LENGTH) {
      throw new IllegalArgumentException(
          "key must have 1 to 1024 characters: "
              + (key == null || key.isEmpty() ? "'" + key + "'" : key.length() + " characters"));
    }
    return key;
  }

  static <T> T join(CompletionStage<T> done) {
    try {
      return done.toCompletableFuture().join();
    } catch (CompletionException failed) {
      if (failed.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw failed;
    }
  }
}
