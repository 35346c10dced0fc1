package io.penstock.redis;

import java.util.concurrent.TimeUnit;

/**
 * Decides when the next call of a route is sent while others are in flight. Thread-safe.
 *
 * <p>Calls are pipelined on one connection, and the number of calls in flight is limited like the
 * congestion window of TCP Vegas. A call that takes longer than the round trip without load has
 * waited in a queue, either at the server or for a core of this machine. The number of calls in
 * flight that are queued is computed from the time in the queue:
 *
 * <pre>
 * queued calls = calls in flight × (time to reply − round trip) ÷ time to reply
 * </pre>
 *
 * <p>While few calls are queued, the window grows, so that requests are sent at once: waiting for a
 * reply would waste a round trip. When many calls are queued, further calls only lengthen the
 * queue. The window then shrinks, and requests wait for each other to share a call, which costs the
 * server and the client less.
 *
 * <p>With a window of {@code w} calls, the queued requests are sent as a call if nothing is in
 * flight, or if they are at least one {@code w}-th of all requests, queued and in flight. Otherwise
 * they are sent when the next reply arrives. So calls have similar sizes.
 *
 * <p>The window is never smaller than the number of calls that fit into the round trip, because
 * replies can be late for other reasons than a queue.
 *
 * <p>The round trip is measured by calls that don't wait for others. If there was no such call for
 * a while, one is sent alone.
 */
final class CallWindow {
  private static final int MAX_CALLS = 256;

  /** The window grows while fewer calls than this are queued. */
  private static final double MIN_QUEUED = 1.5;

  /** The window shrinks while more calls than this are queued. */
  private static final double MAX_QUEUED = 2.5;

  /**
   * An upper bound of the time that the server and the client need to process a call. The number of
   * calls that can be processed within a round trip, without a queue, is the round trip divided by
   * this.
   */
  private static final long CALL_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

  /** The max of {@link #minCalls}, however long the round trip is. */
  private static final int MAX_MIN_CALLS = 32;

  /** The window grows and shrinks by this fraction (1/n) of it, at least by one call. */
  private static final int STEP = 4;

  /** Variations of the round trip up to this fraction (1/n) of it don't count as queueing. */
  private static final int JITTER = 8;

  /** The weight of a call in the average number of queued calls. */
  private static final double WEIGHT = 1.0 / 8;

  /** The minimum number of replies between two changes of the window. */
  private static final int MIN_REPLIES = 8;

  private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** Calls don't wait for each other while at most this fraction (1/n) of the window is used. */
  private static final int UNLOADED_PART = 4;

  private volatile int calls = 1;

  /** The round trip of a call that doesn't wait for others. Guarded by this. */
  private long baseNanos;

  /** The average number of queued calls. Guarded by this. */
  private double queuedCalls;

  /** The number of replies since the window has changed. Guarded by this. */
  private int replies;

  /** The shortest round trip without load since the interval began. Guarded by this. */
  private long intervalNanos = Long.MAX_VALUE;

  /** Guarded by this. */
  private long intervalStart = System.nanoTime();

  private volatile boolean probing;

  /** Returns whether a call should be sent now; a racy answer is corrected by the next reply. */
  boolean admits(int queued, int callsInFlight, int requestsInFlight) {
    if (callsInFlight == 0) {
      return true;
    }
    if (probing) {
      return false;
    }
    int max = calls;
    return callsInFlight < max && (long) queued * max >= queued + requestsInFlight;
  }

  /** The maximum number of calls in flight. */
  int calls() {
    return calls;
  }

  /** Returns whether the next call is sent alone to measure the round trip. */
  boolean isProbing() {
    return probing;
  }

  /** Returns whether a call doesn't wait for others; {@code requestsInFlight} includes its own. */
  boolean isUnloaded(int requestsInFlight) {
    return requestsInFlight <= Math.max(1, calls / UNLOADED_PART);
  }

  /**
   * Called with the duration of a call.
   *
   * @param callsInFlight the number of calls in flight when it was sent, with itself
   * @param unloaded whether the call didn't wait for others when it was sent
   */
  synchronized void replied(long now, long nanos, int callsInFlight, boolean unloaded) {
    measureRoundTrip(now, nanos, unloaded);
    double waited = Math.max(0, nanos - baseNanos - baseNanos / JITTER);
    queuedCalls += (callsInFlight * waited / nanos - queuedCalls) * WEIGHT;
    if (++replies >= Math.max(MIN_REPLIES, calls)) {
      adjust(callsInFlight);
    }
  }

  /**
   * The number of calls that fit into a round trip, which is the min size of the window. A smaller
   * window would waste time if replies are late for another reason than a queue, such as a busy
   * machine.
   */
  private int minCalls() {
    return (int) Math.max(1, Math.min(MAX_MIN_CALLS, baseNanos / CALL_NANOS));
  }

  private void adjust(int callsInFlight) {
    int window = calls;
    int step = Math.max(1, window / STEP);
    if (queuedCalls > MAX_QUEUED) {
      calls = Math.max(minCalls(), window - step);
      replies = 0;
    } else if (queuedCalls < MIN_QUEUED && callsInFlight > window / 2) {
      calls = Math.min(MAX_CALLS, window + step);
      replies = 0;
    } else if (window < minCalls()) {
      calls = minCalls();
    }
  }

  private void measureRoundTrip(long now, long nanos, boolean unloaded) {
    if (baseNanos == 0 || nanos < baseNanos) {
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
