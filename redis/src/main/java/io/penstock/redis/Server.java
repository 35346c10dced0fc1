package io.penstock.redis;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** One Redis server: how it is reached, and whether it can be asked. Thread-safe. */
final class Server {
  private final ServerAddress address;
  private final ServerConnection link;
  private final ServerHealth health;
  private final AtomicInteger underWay = new AtomicInteger();
  private int probedSlot = -1;

  /** Since when there has been no answer, while calls are under way. */
  private volatile long silentSinceNanos = System.nanoTime();

  /**
   * @param address where it is known to be; {@link Address#UNKNOWN} if nobody is sent there
   */
  Server(ServerAddress address, ServerConnection link, ServerHealth health) {
    this.address = address;
    this.link = link;
    this.health = health;
  }

  ServerHealth health() {
    return health;
  }

  ServerAddress address() {
    return address;
  }

  /** Lets probes write into one of its slots. */
  void probeWith(int slot, ProbeKeys keys) {
    if (slot != probedSlot) {
      probedSlot = slot;
      link.probeWith(keys.in(slot));
    }
  }

  /** How many calls are under way. */
  int callsUnderWay() {
    return underWay.get();
  }

  /** When it was last asked or last answered, whichever was later. */
  long lastUsedNanos() {
    return silentSinceNanos;
  }

  /**
   * Asks it to decide; fails at once when there is no connection.
   *
   * @param asking whether the slot is on its way there
   */
  CompletionStage<long[]> call(Batch batch, boolean asking) {
    long sent = System.nanoTime();
    if (underWay.get() == 0) {
      silentSinceNanos = sent;
    }
    underWay.incrementAndGet();
    return link.call(batch, asking).whenComplete((replies, failure) -> ended(sent, failure));
  }

  private void ended(long sent, @Nullable Throwable failure) {
    long now = System.nanoTime();
    silentSinceNanos = now;
    underWay.decrementAndGet();
    Throwable cause = failure == null ? null : FailureCauses.cause(failure);
    if (cause == null || Redirection.isOfSlot(cause)) {
      health.answered(sent, now - sent);
    } else {
      health.failed(cause, sent);
    }
  }

  /** A request got no answer in time. */
  void overdue() {
    health.overdue(underWay.get() == 0 ? System.nanoTime() : silentSinceNanos);
  }

  void close() {
    health.close();
    link.close();
  }
}
