package io.penstock.redis;

import io.lettuce.core.RedisCommandExecutionException;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts the nodes that share limits, for failure policies that divide a limit by that number.
 * Thread-safe. Unless the number is set, every node registers itself in Redis periodically, in a
 * key that expires, and when Redis becomes available. The observer is notified if Redis rejects
 * this, because limits are then divided by a wrong number.
 *
 * <p>A higher number is used at once, a lower one only after Redis has returned lower ones for as
 * long as a node counts without registering again. Until then, nodes may be missing only because
 * Redis has lost its data, or because they could not reach it.
 */
final class NodePresence {
  /** After this time, a node knows of others that have started. */
  private static final long PERIOD_MILLIS = 1_000;

  /** A node counts for this long after it registered last. */
  private static final long TTL_MILLIS = 15_000;

  private final int fixed;
  private final String redisKey;
  private final NodeRegistry registry;
  private final RedisObserver observer;
  private final ScheduledExecutorService timer;
  private final LongSupplier clock;
  private final String node = UUID.randomUUID().toString();
  private final AtomicBoolean started = new AtomicBoolean();

  /** The number in effect; 1 before the first reply. */
  private volatile int counted = 1;

  /** The highest number since {@link #lowerSinceNanos}; 0 if the last one was not lower. */
  private int lower;

  private long lowerSinceNanos;

  /** Whether a rejection was reported since the last successful registration. */
  private final AtomicBoolean reported = new AtomicBoolean();

  /** Where nodes register. */
  interface NodeRegistry {
    /** Registers a node for {@code ttlMillis}; returns the number of registered nodes. */
    CompletionStage<Long> register(String redisKey, String node, long ttlMillis);
  }

  /**
   * @param fixed the number of nodes if it is set; otherwise 0
   * @param timer a single thread, which silently discards tasks after its shutdown
   */
  NodePresence(
      int fixed,
      String keyPrefix,
      NodeRegistry registry,
      RedisObserver observer,
      ScheduledExecutorService timer) {
    this(fixed, keyPrefix, registry, observer, timer, System::nanoTime);
  }

  NodePresence(
      int fixed,
      String keyPrefix,
      NodeRegistry registry,
      RedisObserver observer,
      ScheduledExecutorService timer,
      LongSupplier clock) {
    this.fixed = fixed;
    this.redisKey = keyPrefix + "nodes";
    this.registry = registry;
    this.observer = observer;
    this.timer = timer;
    this.clock = clock;
  }

  /** The number of nodes, at least 1. Starts registering this node on first use. */
  int count() {
    if (fixed > 0) {
      return fixed;
    }
    if (!started.get() && started.compareAndSet(false, true)) {
      registerPeriodically();
    }
    return counted;
  }

  /** Called when Redis becomes available. It may have lost its data, and other nodes register. */
  void available() {
    if (started.get()) {
      synchronized (this) {
        lower = 0;
      }
      timer.execute(this::register);
    }
  }

  private void registerPeriodically() {
    register();
    var unused = timer.schedule(this::registerPeriodically, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void register() {
    CompletionStage<Long> registration;
    try {
      registration = registry.register(redisKey, node, TTL_MILLIS);
    } catch (RuntimeException failure) {
      registration = CompletableFuture.failedFuture(failure);
    }
    var unused = registration.thenAccept(this::registered).exceptionally(this::failed);
  }

  private synchronized void registered(long nodes) {
    reported.set(false);
    int now = (int) Math.max(1, nodes);
    if (now >= counted) {
      counted = now;
      lower = 0;
      return;
    }
    if (lower == 0) {
      lowerSinceNanos = clock.getAsLong();
    }
    lower = Math.max(lower, now);
    if (clock.getAsLong() - lowerSinceNanos >= TimeUnit.MILLISECONDS.toNanos(TTL_MILLIS)) {
      counted = lower;
      lower = 0;
    }
  }

  /** The number stays as it is. */
  private @Nullable Void failed(Throwable failure) {
    Throwable cause = FailureCauses.cause(failure);
    // Other failures make Redis unavailable, which is reported, or end when the slot map is
    // updated.
    boolean rejected =
        cause instanceof RedisCommandExecutionException && !Redirection.isSlotError(cause);
    if (rejected && reported.compareAndSet(false, true)) {
      observer.registrationRejected(RedisOutage.detail(cause), counted);
    }
    return null;
  }
}
