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
 * characters. A global limiter, with one bucket for all requests, is used without a key.
 */
public final class RateLimiter {
  private static final int MAX_KEY_LENGTH = 1024;

  /** The key of the global bucket. Keys of callers are never empty. */
  private static final String NO_KEY = "";

  private final String name;
  private volatile Bound bound;

  private record Bound(Limit limit, Buckets buckets) {}

  private RateLimiter(Store store, String name, Limit limit, StoreOptions storeOptions) {
    if (name == null || name.isEmpty() || name.length() > MAX_KEY_LENGTH) {
      throw new IllegalArgumentException("name must have 1 to 1024 characters: " + name);
    }
    Objects.requireNonNull(limit, "limit");
    Objects.requireNonNull(storeOptions, "storeOptions");
    this.name = name;
    this.bound = new Bound(limit, store.buckets(name, limit, storeOptions));
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
    return name;
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
    bound = new Bound(limit, bound.buckets().replacedBy(limit));
  }

  /**
   * Deactivates the limit, so that it no longer counts as active for other limiters with the same
   * name. What keys have consumed is kept. This limiter must not be used afterwards.
   */
  public void retire() {
    bound.buckets().retire();
  }

  /**
   * Takes a token if one is available. Allocates nothing for a known key of an in-process token
   * bucket.
   */
  public boolean tryAcquire(String key) {
    return bound.buckets().tryTake(checked(key), Tokens.ONE);
  }

  /** Like {@link #tryAcquire(String)}, but takes {@code cost} tokens. */
  public boolean tryAcquire(String key, double cost) {
    return bound.buckets().tryTake(checked(key), Tokens.cost(cost));
  }

  /** Takes a token from the global bucket if one is available. */
  public boolean tryAcquire() {
    return bound.buckets().tryTake(NO_KEY, Tokens.ONE);
  }

  /** Takes a token if one is available, and returns the details. */
  public Decision decide(String key) {
    return decide(key, 1);
  }

  /** Takes {@code cost} tokens if they are available, and returns the details. */
  public Decision decide(String key, double cost) {
    return bound.buckets().take(checked(key), Tokens.cost(cost), 0);
  }

  /** Takes a token from the global bucket if one is available, and returns the details. */
  public Decision decide() {
    return bound.buckets().take(NO_KEY, Tokens.ONE, 0);
  }

  /** Like {@link #decide(String)}, but doesn't block on the store. */
  public CompletionStage<Decision> decideAsync(String key) {
    return decideAsync(key, 1);
  }

  /** Like {@link #decide(String, double)}, but doesn't block on the store. */
  public CompletionStage<Decision> decideAsync(String key, double cost) {
    return bound.buckets().takeAsync(checked(key), Tokens.cost(cost), 0);
  }

  /** Returns the state of the key's bucket without changing it. */
  public Decision peek(String key) {
    return decide(key, 0);
  }

  /**
   * Takes {@code cost} tokens and blocks until they are available. Callers are served in the order
   * of their calls. A call that can't be served within {@code maxWait} is denied immediately.
   *
   * @throws InterruptedException if interrupted while waiting; the tokens are given back
   */
  public Decision acquire(String key, double cost, Duration maxWait) throws InterruptedException {
    Buckets buckets = bound.buckets();
    long thousandths = Tokens.cost(cost);
    Decision decision = buckets.take(checked(key), thousandths, waitNanos("maxWait", maxWait));
    if (decision.delayNanos() > 0) {
      try {
        buckets.clock().sleep(decision.delayNanos());
      } catch (InterruptedException interrupted) {
        try {
          join(giveBack(decision, key, thousandths));
        } catch (RuntimeException lost) {
          interrupted.addSuppressed(lost);
        }
        throw interrupted;
      }
    }
    return decision;
  }

  /**
   * Like {@link #acquire}, but doesn't block a thread: completes when the tokens are available, or
   * immediately with a denial. Cancelling it before then gives the tokens back.
   */
  public CompletableFuture<Decision> acquireAsync(String key, double cost, Duration maxWait) {
    Buckets buckets = bound.buckets();
    long thousandths = Tokens.cost(cost);
    CompletionStage<Decision> taken =
        buckets.takeAsync(checked(key), thousandths, waitNanos("maxWait", maxWait));
    return new PendingAcquire(this, key, thousandths).until(taken);
  }

  /**
   * Gives back the tokens of a cancelled wait, under the limit that is active now. A degraded
   * decision took nothing from the store, or its response was late and the store gives the tokens
   * back itself.
   */
  CompletionStage<Void> giveBack(Decision taken, String key, long thousandths) {
    Bound now = bound;
    return now.limit() instanceof TokenBucket && !taken.degraded()
        ? now.buckets().refund(key, thousandths)
        : CompletableFuture.completedStage(null);
  }

  Buckets buckets() {
    return bound.buckets();
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

  /** Discards what the key has consumed, so that its bucket is full. */
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

  /** A claim on one token of the global bucket, for {@link #all}. */
  public Claim at() {
    return new Claim(this, NO_KEY, Tokens.ONE, 0);
  }

  @Override
  public String toString() {
    return "RateLimiter " + name + " " + bound.limit();
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

  private static void join(CompletionStage<Void> done) {
    try {
      done.toCompletableFuture().join();
    } catch (CompletionException failed) {
      if (failed.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw failed;
    }
  }
}
