package io.penstock.redis;

import io.lettuce.core.RedisCommandExecutionException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Tracks whether a server is available. Thread-safe. While it is unavailable, no calls are sent;
 * one probe at a time checks whether it accepts writes again, and in time. While there are no
 * calls, a probe per second detects that the server has become unavailable, so that the next caller
 * need not.
 *
 * <p>Only the transition from available to unavailable starts a chain of probes, and only the end
 * of that chain reverses it, so there is never more than one chain.
 */
final class ServerHealth {
  private static final long FIRST_PROBE_MILLIS = 20;
  private static final long MAX_PROBE_MILLIS = 200;

  /**
   * A server that responds to probes but keeps rejecting calls is probed less and less often, so
   * that its state doesn't change many times per second.
   */
  private static final long MAX_REJECTED_PROBE_MILLIS = 5_000;

  private static final int MAX_DOUBLINGS = 8;
  private static final long REJECTION_RESET_NANOS = TimeUnit.SECONDS.toNanos(60);

  private static final long IDLE_MILLIS = 1_000;

  /** This many consecutive late responses are treated like a missing one. */
  private static final int MAX_SLOW = 3;

  /** After a silence of this many deadlines, the server is unavailable. */
  private static final int MAX_DEADLINES = 2;

  private static final int STARVED_DEADLINES = 10;

  /** A server that is silent for longer while this process has CPU time is at fault. */
  private static final long MAX_UNEXPLAINED_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final ProbedConnection connection;
  private final ScheduledExecutorService timer;
  private final HealthListener listener;
  private final long deadlineNanos;
  private final CpuLag lag;
  private final AtomicReference<Availability> state =
      new AtomicReference<>(Availability.UNAVAILABLE);
  private final AtomicInteger slow = new AtomicInteger();
  private volatile long lastSlowNanos = System.nanoTime();

  /** When the first of the consecutive late responses was awaited. */
  private volatile long slowSinceNanos;

  private volatile boolean checked;
  private volatile long availableSinceNanos;
  private volatile long answeredNanos = System.nanoTime();
  private volatile @Nullable RedisOutage outage;

  /** The number of rejections without a pause of a minute in between. Guarded by this. */
  private int rejections;

  /** Guarded by this. */
  private long rejectedNanos = System.nanoTime();

  private enum Availability {
    AVAILABLE,
    UNAVAILABLE,
    CLOSED
  }

  /** The connection whose server is probed. */
  interface ProbedConnection {
    /**
     * Connects if necessary, and checks whether the server accepts calls. Completes in bounded
     * time.
     *
     * @return how long the server took for a write, in nanoseconds
     */
    CompletionStage<Long> probe();

    /** Returns what a failed call or probe means; {@code failure} is null after a timeout. */
    RedisOutage outage(@Nullable Throwable failure);

    /** Closes the connection, so that the next probe opens a new one. */
    void drop();
  }

  /** Receives changes of the availability. */
  interface HealthListener {
    void available();

    /** Called when the server becomes unavailable, and after each failed probe. */
    void unavailable(RedisOutage outage);
  }

  ServerHealth(
      ProbedConnection connection,
      ScheduledExecutorService timer,
      HealthListener listener,
      long deadlineNanos,
      CpuLag lag) {
    this.connection = connection;
    this.timer = timer;
    this.listener = listener;
    this.deadlineNanos = deadlineNanos;
    this.lag = lag;
  }

  /** Why the server is unavailable; null if it is available, or if that is still unknown. */
  @Nullable RedisOutage outage() {
    return outage;
  }

  boolean isAvailable() {
    return state.get() == Availability.AVAILABLE;
  }

  /** Whether the availability is still unknown. */
  boolean isNew() {
    return !checked;
  }

  /** Starts probing. */
  void start() {
    timer.execute(() -> probe(FIRST_PROBE_MILLIS));
    scheduleIdleCheck();
  }

  /**
   * Called when the server responded after {@code nanos} to a call that was sent at {@code
   * sentNanos}.
   */
  void answered(long sentNanos, long nanos) {
    answeredNanos = sentNanos + nanos;
    if (nanos <= deadlineNanos) {
      slow.set(0);
    } else if (sentNanos - lastSlowNanos >= 0) {
      // Calls that were in flight at the same time count once.
      lastSlowNanos = sentNanos + nanos;
      int consecutive = slow.incrementAndGet();
      if (consecutive == 1) {
        slowSinceNanos = sentNanos;
      }
      if (consecutive >= MAX_SLOW) {
        markUnavailable(true, sentNanos, null, slowSinceNanos);
      }
    }
  }

  /**
   * Called when a request timed out; a call has been in flight since {@code inFlightSinceNanos}. If
   * this process is starved of CPU time, the server may have responded, so that a longer silence is
   * needed.
   */
  void requestTimedOut(long inFlightSinceNanos, boolean starved) {
    long now = System.nanoTime();
    long since = Math.min(now - inFlightSinceNanos, now - availableSinceNanos);
    if (since > (starved ? STARVED_DEADLINES : MAX_DEADLINES) * deadlineNanos) {
      markUnavailable(true, now, null, now - since);
    }
  }

  /** Called when a call failed: the server rejected it, or the connection broke. */
  void failed(Throwable cause, long sentNanos) {
    markUnavailable(cause instanceof RedisCommandExecutionException, sentNanos, cause, sentNanos);
  }

  /**
   * @param connected whether the connection may still work
   * @param sentNanos when the call was sent; ignored if the server became available after that
   * @param cause null if the server didn't respond, or not in time
   * @param silentSinceNanos since when there was no response, or only late ones
   */
  private void markUnavailable(
      boolean connected, long sentNanos, @Nullable Throwable cause, long silentSinceNanos) {
    if (sentNanos - availableSinceNanos >= 0
        && state.compareAndSet(Availability.AVAILABLE, Availability.UNAVAILABLE)) {
      RedisOutage now = outage(cause, silentSinceNanos);
      outage = now;
      if (!connected) {
        connection.drop();
      }
      // Before the next probe, which may find that the server is available again.
      listener.unavailable(now);
      probeAfter(connected && cause != null ? afterRejection() : FIRST_PROBE_MILLIS);
    }
  }

  /** Timeouts of connection attempts keep their reason, which may be a wrong configuration. */
  private RedisOutage outage(@Nullable Throwable cause, long silentSinceNanos) {
    RedisOutage found = connection.outage(cause);
    boolean starved =
        found.reason() == UnavailableReason.TIMEOUT
            && lag.explainsSilenceSince(silentSinceNanos)
            && !hadTimeToAnswer();
    return starved ? new RedisOutage(UnavailableReason.CPU_STARVED, found.address(), "") : found;
  }

  /** Whether a server that is only seemingly silent would have been heard by now. */
  private boolean hadTimeToAnswer() {
    long now = System.nanoTime();
    long silence = Math.min(now - answeredNanos, now - availableSinceNanos);
    return silence - lag.since(now - silence) > MAX_UNEXPLAINED_NANOS;
  }

  private synchronized long afterRejection() {
    long now = System.nanoTime();
    rejections = now - rejectedNanos > REJECTION_RESET_NANOS ? 0 : rejections;
    rejectedNanos = now;
    long millis = FIRST_PROBE_MILLIS << Math.min(rejections++, MAX_DOUBLINGS);
    return Math.min(millis, MAX_REJECTED_PROBE_MILLIS);
  }

  void close() {
    state.set(Availability.CLOSED);
  }

  /** Probes the server if there was no response for a while, and schedules the next check. */
  private void checkIdle() {
    long now = System.nanoTime();
    boolean idle = now - answeredNanos >= TimeUnit.MILLISECONDS.toNanos(IDLE_MILLIS);
    if (state.get() != Availability.AVAILABLE || !idle) {
      scheduleIdleCheck();
      return;
    }
    probeTwice()
        .whenComplete(
            (nanos, failure) -> {
              if (nanos == null) {
                Throwable cause = failure == null ? null : FailureCauses.cause(failure);
                markUnavailable(false, now, cause, now);
              } else {
                answered(now, nanos);
              }
              scheduleIdleCheck();
            });
  }

  private void scheduleIdleCheck() {
    if (state.get() != Availability.CLOSED) {
      var unused = timer.schedule(this::checkIdle, IDLE_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private void probeAfter(long millis) {
    long jittered = millis / 2 + ThreadLocalRandom.current().nextLong(millis + 1);
    var unused = timer.schedule(() -> probe(millis), jittered, TimeUnit.MILLISECONDS);
  }

  private void probe(long after) {
    if (state.get() == Availability.UNAVAILABLE) {
      long sent = System.nanoTime();
      tryProbe().whenComplete((nanos, failure) -> probed(after, sent, nanos, failure));
    }
  }

  /**
   * Probes again after a timeout. A single late reply may mean that this process had no CPU time.
   */
  private CompletionStage<Long> probeTwice() {
    return tryProbe()
        .exceptionallyCompose(
            failure ->
                FailureCauses.cause(failure) instanceof TimeoutException
                    ? tryProbe()
                    : CompletableFuture.failedStage(failure));
  }

  private CompletionStage<Long> tryProbe() {
    lag.watch();
    try {
      return connection.probe();
    } catch (RuntimeException failure) {
      return CompletableFuture.failedStage(failure);
    }
  }

  private void probed(
      long after, long sentNanos, @Nullable Long nanos, @Nullable Throwable failure) {
    if (failure != null) {
      connection.drop();
    }
    if (nanos == null || nanos > deadlineNanos) {
      RedisOutage now = outage(failure == null ? null : FailureCauses.cause(failure), sentNanos);
      outage = now;
      checked = true;
      listener.unavailable(now);
      probeAfter(Math.min(2 * after, MAX_PROBE_MILLIS));
      return;
    }
    slow.set(0);
    availableSinceNanos = System.nanoTime();
    if (state.compareAndSet(Availability.UNAVAILABLE, Availability.AVAILABLE)) {
      checked = true;
      outage = null;
      listener.available();
    }
  }
}
