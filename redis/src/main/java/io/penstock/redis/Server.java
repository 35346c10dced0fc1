package io.penstock.redis;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** One Redis server: its connection and its health. Thread-safe. */
final class Server {
  private final ServerAddress address;
  private final ServerConnection connection;
  private final ServerHealth health;
  private final CpuLag lag;
  private final AtomicInteger inFlight = new AtomicInteger();
  private final AtomicInteger requestsInFlight = new AtomicInteger();
  private int probedSlot = -1;

  /** Since when there has been no response, while calls are in flight. */
  private volatile long silentSinceNanos = System.nanoTime();

  /**
   * @param address the address of the server; {@link ServerAddress#UNKNOWN} if there is only one
   */
  Server(ServerAddress address, ServerConnection connection, ServerHealth health, CpuLag lag) {
    this.address = address;
    this.connection = connection;
    this.health = health;
    this.lag = lag;
  }

  ServerHealth health() {
    return health;
  }

  ServerAddress address() {
    return address;
  }

  /** Makes probes write to one of its slots. */
  void probeWith(int slot, ProbeKeys keys) {
    if (slot != probedSlot) {
      probedSlot = slot;
      connection.probeWith(keys.in(slot));
    }
  }

  /** The number of requests that were sent and have no reply yet. */
  int requestsInFlight() {
    return requestsInFlight.get();
  }

  /** The time of the last call or response, whichever is later. */
  long lastUsedNanos() {
    return silentSinceNanos;
  }

  /**
   * Sends a call; fails immediately if there is no connection.
   *
   * @param asking whether to send {@code ASKING} first, because the slot is being migrated to this
   *     server
   */
  CompletionStage<long[]> call(Batch batch, boolean asking) {
    long sent = System.nanoTime();
    if (inFlight.get() == 0) {
      silentSinceNanos = sent;
    }
    lag.watch();
    inFlight.incrementAndGet();
    requestsInFlight.addAndGet(batch.size());
    return connection
        .call(batch, asking)
        .whenComplete((replies, failure) -> completed(batch, sent, failure));
  }

  private void completed(Batch batch, long sent, @Nullable Throwable failure) {
    long now = System.nanoTime();
    silentSinceNanos = now;
    inFlight.decrementAndGet();
    requestsInFlight.addAndGet(-batch.size());
    Throwable cause = failure == null ? null : FailureCauses.cause(failure);
    if (cause == null || Redirection.isSlotError(cause)) {
      health.answered(sent, now - sent);
    } else {
      health.failed(cause, sent);
    }
  }

  /** Registers a node in a sorted set; returns the number of nodes. */
  CompletionStage<Long> registerNode(String redisKey, String node, long ttlMillis) {
    return connection.registerNode(redisKey, node, ttlMillis);
  }

  /**
   * Called when a request timed out.
   *
   * @param starved whether this process had no CPU time
   */
  void requestTimedOut(boolean starved) {
    health.requestTimedOut(inFlight.get() == 0 ? System.nanoTime() : silentSinceNanos, starved);
  }

  /** Returns a stage that completes when the connection is closed. */
  CompletionStage<Void> close() {
    health.close();
    return connection.close();
  }
}
