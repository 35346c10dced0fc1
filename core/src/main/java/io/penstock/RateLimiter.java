package io.penstock;

import io.penstock.inprocess.InProcessStore;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * Limits requests by key: each key has a bucket of its own under one limit. Thread-safe.
 *
 * <pre>{@code
 * var perUser = RateLimiter.inProcess("user", Limit.perSecond(10).burst(50));
 * if (!perUser.tryAcquire(id)) return tooMany();
 * }</pre>
 *
 * <p>Costs are tokens, down to a thousandth; a finer cost is rounded up to the next. A denial is a
 * value and costs nothing. A cost of 0 asks without taking. Keys are 1 to 1024 characters long; a
 * limiter for everybody together is used without a key.
 */
public final class RateLimiter {
  private static final int MAX_KEY_LENGTH = 1024;

  /** The key of the one bucket that has none; callers' keys are never empty. */
  private static final String NO_KEY = "";

  private final String name;
  private volatile Bound bound;

  private record Bound(Limit limit, Buckets buckets) {}

  private RateLimiter(Store store, String name, Limit limit, StoreOptions storeOptions) {
    if (name == null || name.isEmpty() || name.length() > MAX_KEY_LENGTH) {
      throw new IllegalArgumentException("name must have 1 to 1024 characters: " + name);
    }
    Objects.requireNonNull(limit, "limit");
    Objects.requireNonNull(storeOptions, "handling");
    this.name = name;
    this.bound = new Bound(limit, store.buckets(name, limit, storeOptions));
  }

  /** A limiter with a store of its own in this process, for up to a million keys at a time. */
  public static RateLimiter inProcess(String name, Limit limit) {
    return on(InProcessStore.create(), name, limit);
  }

  /** A limiter on a store. Limiters of one name on one store share their buckets. */
  public static RateLimiter on(Store store, String name, Limit limit) {
    return on(store, name, limit, StoreOptions.DEFAULT);
  }

  /** A limiter on a store, with its own way to ask and to do without it. */
  public static RateLimiter on(Store store, String name, Limit limit, StoreOptions storeOptions) {
    return new RateLimiter(store, name, limit, storeOptions);
  }

  /** One request against several limits, all or nothing. Each bucket can be claimed once. */
  public static JointRequest all(Claim... claims) {
    return new JointRequest(List.of(claims));
  }

  /** The name that decisions carry. */
  public String name() {
    return name;
  }

  /** The limit in force. */
  public Limit limit() {
    return bound.limit();
  }

  /**
   * Puts another limit in force. What keys have consumed stays consumed, at most the new burst;
   * only a change between the token bucket and a window starts anew. A key's bucket refills at the
   * old rate until the key is next used.
   */
  public synchronized void replaceLimit(Limit limit) {
    Objects.requireNonNull(limit, "limit");
    bound = new Bound(limit, bound.buckets().replacedBy(limit));
  }

  /**
   * Takes the limit out of force: to other limiters of the same name it is a limit of the past.
   * What keys have consumed stays. This limiter is not used any more.
   */
  public void retire() {
    bound.buckets().retire();
  }

  /** Takes a token if one is there. A token bucket in process allocates nothing for a known key. */
  public boolean tryAcquire(String key) {
    return bound.buckets().tryTake(checked(key), Tokens.ONE);
  }

  /** Takes {@code cost} tokens if they are there; as {@link #tryAcquire(String)} otherwise. */
  public boolean tryAcquire(String key, double cost) {
    return bound.buckets().tryTake(checked(key), Tokens.cost(cost));
  }

  /** Takes a token of the one bucket for everybody. */
  public boolean tryAcquire() {
    return bound.buckets().tryTake(NO_KEY, Tokens.ONE);
  }

  /** Takes a token if one is there, and says how things stand. */
  public Decision decide(String key) {
    return decide(key, 1);
  }

  /** Takes {@code cost} tokens if they are there, and says how things stand. */
  public Decision decide(String key, double cost) {
    return bound.buckets().take(checked(key), Tokens.cost(cost), 0);
  }

  /** Takes a token of the one bucket for everybody, and says how things stand. */
  public Decision decide() {
    return bound.buckets().take(NO_KEY, Tokens.ONE, 0);
  }

  /** As {@link #decide(String)}, without waiting for the store. */
  public CompletionStage<Decision> decideAsync(String key) {
    return decideAsync(key, 1);
  }

  /** As {@link #decide(String, double)}, without waiting for the store. */
  public CompletionStage<Decision> decideAsync(String key, double cost) {
    return bound.buckets().takeAsync(checked(key), Tokens.cost(cost), 0);
  }

  /** Says how things stand and changes nothing. */
  public Decision peek(String key) {
    return decide(key, 0);
  }

  /**
   * Takes {@code cost} tokens and returns when they are there. Callers are served in the order in
   * which they came. Who could not be served within {@code maxWait} is denied at once.
   *
   * @throws InterruptedException if interrupted while waiting; the tokens are given back
   */
  public Decision acquire(String key, double cost, Duration maxWait) throws InterruptedException {
    Buckets buckets = bound.buckets();
    long thousandths = Tokens.cost(cost);
    Decision decision = buckets.take(checked(key), thousandths, wait("maxWait", maxWait));
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
   * As {@link #acquire}, without holding a thread: completes when the tokens are there, or at once
   * with a denial. Cancelling it before then gives the tokens back.
   */
  public CompletableFuture<Decision> acquireAsync(String key, double cost, Duration maxWait) {
    Buckets buckets = bound.buckets();
    long thousandths = Tokens.cost(cost);
    CompletionStage<Decision> taken =
        buckets.takeAsync(checked(key), thousandths, wait("maxWait", maxWait));
    return new PendingAcquire(this, key, thousandths).until(taken);
  }

  /**
   * Returns what a wait had taken, under the limit that is in force by now. Who was let pass
   * without the store took nothing of it; or if its answer was only late, the store sees to that.
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
   * Takes {@code cost} tokens without asking, for what is known only afterwards. The bucket can end
   * up to one burst below empty, and has to make that up before it allows anything again.
   */
  public void charge(String key, double cost) {
    join(chargeAsync(key, cost));
  }

  /** As {@link #charge}, without waiting for the store. */
  public CompletionStage<Void> chargeAsync(String key, double cost) {
    return bound.buckets().charge(checked(key), Tokens.cost(cost));
  }

  /** Puts {@code cost} tokens back, never above full. */
  public void refund(String key, double cost) {
    join(refundAsync(key, cost));
  }

  /** As {@link #refund}, without waiting for the store. */
  public CompletionStage<Void> refundAsync(String key, double cost) {
    return bound.buckets().refund(checked(key), Tokens.cost(cost));
  }

  /** Forgets what the key consumed: its bucket is full. */
  public void reset(String key) {
    join(resetAsync(key));
  }

  /** As {@link #reset}, without waiting for the store. */
  public CompletionStage<Void> resetAsync(String key) {
    return bound.buckets().reset(checked(key));
  }

  /** A claim of one token, for {@link #all}. */
  public Claim at(String key) {
    return at(key, 1);
  }

  /** A claim of {@code cost} tokens, for {@link #all}. */
  public Claim at(String key, double cost) {
    return new Claim(this, checked(key), Tokens.cost(cost), 0);
  }

  /** A claim of one token of the one bucket for everybody, for {@link #all}. */
  public Claim at() {
    return new Claim(this, NO_KEY, Tokens.ONE, 0);
  }

  @Override
  public String toString() {
    return "RateLimiter " + name + " " + bound.limit();
  }

  /** A longest wait in nanoseconds; what does not fit is as good as forever. */
  static long wait(String name, Duration wait) {
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
