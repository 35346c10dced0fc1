package io.penstock.redis;

import io.lettuce.core.RedisCommandExecutionException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Whether a server is there to be asked. Thread-safe. Once it is away, nobody asks until a probe,
 * one at a time, finds that it takes writes again, and in time. While nobody asks anything, a probe
 * a second finds out that it went away, so that the next caller need not.
 *
 * <p>Only who turns it from there to away starts a chain of probes, and only the end of the chain
 * turns it back: so there is never more than one.
 */
final class ServerHealth {
  private static final long FIRST_PROBE_MILLIS = 20;
  private static final long LAST_PROBE_MILLIS = 200;

  /**
   * A server that answers probes and then rejects what it is asked, again and again, is probed less
   * and less often, so that nothing changes many times a second.
   */
  private static final long MAX_REJECTED_PROBE_MILLIS = 5_000;

  private static final int MAX_DOUBLINGS = 8;
  private static final long REJECTIONS_FORGOTTEN_NANOS = TimeUnit.SECONDS.toNanos(60);

  private static final long IDLE_MILLIS = 1_000;

  /** So many calls in a row that come too late are as bad as one that doesn't come. */
  private static final int MAX_SLOW = 3;

  private final ServerConnection link;
  private final ScheduledExecutorService timer;
  private final HealthListener changes;
  private final long deadlineNanos;
  private final CountDownLatch found = new CountDownLatch(1);
  private final AtomicReference<Availability> state = new AtomicReference<>(Availability.AWAY);
  private final AtomicInteger slow = new AtomicInteger();
  private volatile long lastSlowNanos = System.nanoTime();
  private volatile boolean looked;
  private volatile long thereSinceNanos;
  private volatile long answeredNanos;
  private volatile @Nullable Throwable failure;

  /** How often it rejected what it was asked since a minute without that. Guarded by this. */
  private int rejections;

  /** Guarded by this. */
  private long rejectedNanos = System.nanoTime();

  private enum Availability {
    THERE,
    AWAY,
    CLOSED
  }

  /** Is told of changes. */
  @FunctionalInterface
  interface HealthListener {
    /** It is there from now on, or unavailable because of {@code reason}. */
    void changed(boolean there, String reason);
  }

  ServerHealth(
      ServerConnection link,
      ScheduledExecutorService timer,
      HealthListener changes,
      long deadlineNanos) {
    this.link = link;
    this.timer = timer;
    this.changes = changes;
    this.deadlineNanos = deadlineNanos;
  }

  /** Why it is unavailable, while it is. */
  String reason() {
    return FailureCauses.reason(failure);
  }

  boolean isThere() {
    return state.get() == Availability.THERE;
  }

  /** Whether it is not known yet whether it is there. */
  boolean isNew() {
    return !looked;
  }

  /** Looks for Redis for the first time. */
  void begin() {
    timer.execute(() -> probe(FIRST_PROBE_MILLIS));
    lookLater();
  }

  /** Waits until it is there for the first time, for {@code most}. */
  void await(Duration most) {
    try {
      var unused = found.await(most.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Redis answered, after {@code nanos}, what was sent at {@code sentNanos}. */
  void answered(long sentNanos, long nanos) {
    answeredNanos = sentNanos + nanos;
    if (nanos <= deadlineNanos) {
      slow.set(0);
    } else if (sentNanos - lastSlowNanos >= 0) {
      // Those that were under way together count once.
      lastSlowNanos = sentNanos + nanos;
      if (slow.incrementAndGet() >= MAX_SLOW) {
        lost(true, sentNanos);
      }
    }
  }

  /** A request got no answer in time, while a call has been under way since then. */
  void overdue(long underWaySinceNanos) {
    long now = System.nanoTime();
    long since = Math.min(now - underWaySinceNanos, now - thereSinceNanos);
    if (since > 2 * deadlineNanos) {
      lost(true, now);
    }
  }

  /**
   * Redis was found not to answer, or not in time.
   *
   * @param connected whether the connection may still be good
   * @param sentNanos when it was asked: what was sent before it was last there says nothing
   */
  void lost(boolean connected, long sentNanos) {
    lost(connected, sentNanos, null);
  }

  /** A call failed: the server rejected it, or the connection broke. */
  void failed(Throwable cause, long sentNanos) {
    lost(cause instanceof RedisCommandExecutionException, sentNanos, cause);
  }

  private void lost(boolean connected, long sentNanos, @Nullable Throwable cause) {
    if (sentNanos - thereSinceNanos >= 0
        && state.compareAndSet(Availability.THERE, Availability.AWAY)) {
      failure = cause;
      if (!connected) {
        link.drop();
      }
      probeAfter(connected && cause != null ? afterRejection() : FIRST_PROBE_MILLIS);
      changes.changed(false, reason());
    }
  }

  private synchronized long afterRejection() {
    long now = System.nanoTime();
    rejections = now - rejectedNanos > REJECTIONS_FORGOTTEN_NANOS ? 0 : rejections;
    rejectedNanos = now;
    long millis = FIRST_PROBE_MILLIS << Math.min(rejections++, MAX_DOUBLINGS);
    return Math.min(millis, MAX_REJECTED_PROBE_MILLIS);
  }

  void close() {
    state.set(Availability.CLOSED);
    found.countDown();
  }

  /** Asks Redis itself if nobody else has for a while, and again after a while. */
  private void look() {
    long now = System.nanoTime();
    boolean idle = now - answeredNanos >= TimeUnit.MILLISECONDS.toNanos(IDLE_MILLIS);
    if (state.get() != Availability.THERE || !idle) {
      lookLater();
      return;
    }
    ask()
        .whenComplete(
            (nanos, failure) -> {
              if (nanos == null) {
                lost(false, now, failure == null ? null : FailureCauses.cause(failure));
              } else {
                answered(now, nanos);
              }
              lookLater();
            });
  }

  private void lookLater() {
    if (state.get() != Availability.CLOSED) {
      var unused = timer.schedule(this::look, IDLE_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private void probeAfter(long millis) {
    long jittered = millis / 2 + ThreadLocalRandom.current().nextLong(millis + 1);
    var unused = timer.schedule(() -> probe(millis), jittered, TimeUnit.MILLISECONDS);
  }

  private void probe(long after) {
    if (state.get() == Availability.AWAY) {
      ask().whenComplete((nanos, failure) -> probed(after, nanos, failure));
    }
  }

  private CompletionStage<Long> ask() {
    try {
      return link.probe();
    } catch (RuntimeException failure) {
      return CompletableFuture.failedStage(failure);
    }
  }

  private void probed(long after, @Nullable Long nanos, @Nullable Throwable failure) {
    this.failure = failure == null ? null : FailureCauses.cause(failure);
    if (failure != null) {
      link.drop();
    }
    if (nanos == null || nanos > deadlineNanos) {
      looked = true;
      probeAfter(Math.min(2 * after, LAST_PROBE_MILLIS));
      return;
    }
    slow.set(0);
    thereSinceNanos = System.nanoTime();
    if (state.compareAndSet(Availability.AWAY, Availability.THERE)) {
      looked = true;
      found.countDown();
      changes.changed(true, "");
    }
  }
}
