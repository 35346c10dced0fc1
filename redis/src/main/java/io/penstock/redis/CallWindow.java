package io.penstock.redis;

import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/**
 * Decides when the next call of a route is sent while others are in flight. Thread-safe.
 *
 * <p>Calls are pipelined on one connection. How many are worthwhile depends on the ratio of the
 * round trip to the time that a call takes the server and the client: on a network, waiting for a
 * reply wastes a whole round trip, so requests are sent at once. Next to the server, the next reply
 * is near, and larger calls save more time than they cost. Identical requests are nearly free
 * within a call, so they are worth more waiting than requests for distinct keys.
 *
 * <p>With a window of {@code w} calls, a call is sent when nothing is in flight, or when its
 * requests are at least the {@code w}-th part of all requests that are waiting for a reply. The
 * rest is sent with the next reply.
 *
 * <p>The round trip is that of a call that doesn't wait for others: under load, the time to reply
 * consists mostly of the queue at the server, which is no reason to send more. If there was no such
 * call for a while, one is sent alone.
 */
final class CallWindow {
  /** The share of the round trip per call in the window. */
  private static final long DISTINCT_NANOS = 15_000;

  private static final long REPEATED_NANOS = 120_000;

  private static final int MAX_CALLS = 64;

  private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** With this part of the window in flight, calls don't wait for each other. */
  private static final int UNLOADED_PART = 4;

  /** The number of recent requests among which a key counts as repeated. */
  private static final int RECENT = 16;

  /** The weight of a request in the share of repeated keys: 1/64. */
  private static final int REPEATED_SHIFT = 6;

  private static final int WHOLE = 1 << 16;
  private static final int MOSTLY = WHOLE * 3 / 4;

  private final IntSupplier routes;
  private final int[] recentKeys = new int[RECENT];
  private int nextRecent;
  private volatile int repeated;

  /** The round trip of a call that doesn't wait for others. */
  private volatile long baseNanos;

  /** The shortest round trip without load since the interval began. Guarded by this. */
  private long intervalNanos = Long.MAX_VALUE;

  /** Guarded by this. */
  private long intervalStart = System.nanoTime();

  private volatile boolean probing;

  CallWindow() {
    this(() -> 1);
  }

  /**
   * @param routes the number of routes among which requests for distinct keys are distributed. Each
   *     route sends its share of the calls; otherwise the calls to several servers would be smaller
   *     than those to one, and cost more.
   */
  CallWindow(IntSupplier routes) {
    this.routes = routes;
  }

  /** Returns whether a call should be sent now; a racy answer is corrected by the next reply. */
  boolean admits(int queued, int callsInFlight, int requestsInFlight) {
    if (callsInFlight == 0) {
      return true;
    }
    if (probing) {
      return false;
    }
    int calls = calls();
    return callsInFlight < calls && queued * calls >= queued + requestsInFlight;
  }

  /** The number of calls in flight up to which sending at once is worthwhile. */
  private int calls() {
    long perCall = isRepeated() ? REPEATED_NANOS : DISTINCT_NANOS * routes.getAsInt();
    return (int) Math.max(1, Math.min(MAX_CALLS, baseNanos / perCall));
  }

  /** Returns whether most requests have a key that another recent request has, too. */
  boolean isRepeated() {
    return repeated > MOSTLY;
  }

  /** Returns whether the next call is sent alone to measure the round trip. */
  boolean isProbing() {
    return probing;
  }

  /** Called for each request that is sent, by one thread at a time. */
  void sending(String redisKey) {
    int hash = redisKey.hashCode();
    int seen = 0;
    for (int recent : recentKeys) {
      if (recent == hash) {
        seen = WHOLE;
        break;
      }
    }
    recentKeys[nextRecent] = hash;
    nextRecent = (nextRecent + 1) % RECENT;
    int share = repeated;
    repeated = share + ((seen - share) >> REPEATED_SHIFT);
  }

  /** Returns whether a call that makes this many requests in flight doesn't wait for others. */
  boolean isUnloaded(int requestsInFlight) {
    return requestsInFlight <= Math.max(1, calls() / UNLOADED_PART);
  }

  /**
   * Called with the duration of a call.
   *
   * @param unloaded whether the call didn't wait for others when it was sent
   */
  synchronized void replied(long now, long nanos, boolean unloaded) {
    long base = baseNanos;
    if (base == 0 || nanos < base) {
      baseNanos = nanos;
    }
    if (unloaded) {
      intervalNanos = Math.min(intervalNanos, nanos);
    }
    if (now - intervalStart < INTERVAL_NANOS) {
      return;
    }
    if (intervalNanos == Long.MAX_VALUE) {
      probing = true;
      return;
    }
    // A single slow call, for example during a garbage collection, must not matter for long.
    baseNanos = Math.min(intervalNanos, 2 * baseNanos);
    intervalNanos = Long.MAX_VALUE;
    intervalStart = now;
    probing = false;
  }

  /** Called when a call failed, so that its duration means nothing. */
  synchronized void failed() {
    probing = false;
  }
}
