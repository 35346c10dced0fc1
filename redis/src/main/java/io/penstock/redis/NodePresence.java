package io.penstock.redis;

import io.lettuce.core.RedisCommandExecutionException;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Counts the nodes that share limits, for failure policies that divide a limit by that number.
 * Thread-safe. Unless the number is set, every node registers itself in Redis periodically, in a
 * key that expires. The observer is notified if Redis rejects this, because limits are then divided
 * by a wrong number.
 */
final class NodePresence {
  private static final long PERIOD_MILLIS = 5_000;

  /** A node counts for this long after it registered last. */
  private static final long TTL_MILLIS = 3 * PERIOD_MILLIS;

  private final int fixed;
  private final String redisKey;
  private final NodeRegistry registry;
  private final RedisObserver observer;
  private final ScheduledExecutorService timer;
  private final String node = UUID.randomUUID().toString();
  private final AtomicBoolean started = new AtomicBoolean();

  /** The last number that Redis returned; 1 before the first one. */
  private volatile int counted = 1;

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
    this.fixed = fixed;
    this.redisKey = keyPrefix + "nodes";
    this.registry = registry;
    this.observer = observer;
    this.timer = timer;
  }

  /** The number of nodes, at least 1. Starts registering this node on first use. */
  int count() {
    if (fixed > 0) {
      return fixed;
    }
    if (!started.get() && started.compareAndSet(false, true)) {
      register();
    }
    return counted;
  }

  private void register() {
    var unused =
        registry
            .register(redisKey, node, TTL_MILLIS)
            .thenAccept(this::registered)
            .exceptionally(this::failed);
    var unusedTask = timer.schedule(this::register, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void registered(long nodes) {
    counted = (int) Math.max(1, nodes);
    reported.set(false);
  }

  /** The number stays as it is until Redis returns another one. */
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
