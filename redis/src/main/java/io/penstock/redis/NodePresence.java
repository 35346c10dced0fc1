package io.penstock.redis;

import java.util.UUID;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Counts the nodes that share limits, for failure policies that divide a limit by that number.
 * Thread-safe. Unless the number is set, every node registers itself in Redis periodically, in a
 * key that expires.
 */
final class NodePresence {
  private static final long PERIOD_MILLIS = 5_000;

  /** A node counts for this long after it registered last. */
  private static final long TTL_MILLIS = 3 * PERIOD_MILLIS;

  private final int fixed;
  private final String redisKey;
  private final Topology topology;
  private final ScheduledExecutorService timer;
  private final String node = UUID.randomUUID().toString();
  private final AtomicBoolean started = new AtomicBoolean();

  /** The last number that Redis returned; 1 before the first one. */
  private volatile int counted = 1;

  /**
   * @param fixed the number of nodes if it is set; otherwise 0
   * @param timer a single thread, which silently discards tasks after its shutdown
   */
  NodePresence(int fixed, String keyPrefix, Topology topology, ScheduledExecutorService timer) {
    this.fixed = fixed;
    this.redisKey = keyPrefix + "nodes";
    this.topology = topology;
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
    Server server = topology.serverOf(redisKey);
    if (server != null) {
      var unused =
          server
              .registerNode(redisKey, node, TTL_MILLIS)
              .thenAccept(nodes -> counted = (int) Math.max(1, nodes))
              // The number stays as it is until Redis returns another one.
              .exceptionally(failure -> null);
    }
    var unused = timer.schedule(this::register, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
  }
}
