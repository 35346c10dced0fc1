package io.penstock.server.proxy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tracks the requests of one event loop that are in flight, and detects those that time out.
 * Confined to that event loop.
 *
 * <p>Two Vert.x timers for every request, set and cancelled, would cost more than a periodic scan
 * of all requests in flight: they are few, and the clock need not be read for each.
 */
final class InFlightRequests {
  private static final int SCANS_PER_TIMEOUT = 16;
  private static final long MIN_PERIOD_MILLIS = 1;
  private static final long MAX_PERIOD_MILLIS = 1_000;

  private final long periodMillis;
  private final long firstByteScans;
  private final long idleScans;
  private final long totalScans;
  private final long stallMillis;
  private final long minRate;
  private long scan;
  private @Nullable RequestTimeout first;

  /**
   * @param firstByte the timeout for the start of the origin's response; zero for none
   * @param idle the timeout for the next part of the exchange after that; zero for none
   * @param total the timeout for the whole exchange; zero for none
   * @param slowClients when the response of a slow client is reset
   */
  InFlightRequests(
      Duration firstByte, Duration idle, Duration total, Upstream.SlowClients slowClients) {
    this.periodMillis = periodMillis(slowClients.stall(), firstByte, idle, total);
    this.firstByteScans = scans(firstByte);
    this.idleScans = scans(idle);
    this.totalScans = scans(total);
    this.stallMillis = slowClients.stall().toMillis();
    this.minRate = slowClients.minRate();
  }

  private static long periodMillis(Duration stall, Duration... timeouts) {
    long shortest = stall.toMillis();
    for (Duration timeout : timeouts) {
      if (!timeout.isZero()) {
        shortest = Math.min(shortest, timeout.toMillis());
      }
    }
    return Math.min(MAX_PERIOD_MILLIS, Math.max(MIN_PERIOD_MILLIS, shortest / SCANS_PER_TIMEOUT));
  }

  /**
   * Returns the number of scans after which a time has certainly passed; the first scan may run
   * immediately.
   */
  private long scans(Duration time) {
    return time.isZero() ? Long.MAX_VALUE : time.toMillis() / periodMillis + 2;
  }

  /** Returns the interval at which {@link #scan} must be called. */
  long periodMillis() {
    return periodMillis;
  }

  /** Receives the timeout of a request. */
  interface TimedRequest {
    void onTimeout(TimeoutKind timeoutKind);
  }

  /** Which timeout expired. */
  enum TimeoutKind {
    FIRST_BYTE("The origin did not respond in time"),
    IDLE("The origin did not complete its response in time"),
    TOTAL("The origin took too long"),
    CLIENT("The client sent its request too slowly");

    private final String detail;

    TimeoutKind(String detail) {
      this.detail = detail;
    }

    String detail() {
      return detail;
    }
  }

  /** Adds a request. */
  RequestTimeout enter(TimedRequest request) {
    return new RequestTimeout(request, scan);
  }

  /** Adds a request that has already waited for some time. */
  RequestTimeout enter(TimedRequest request, long waitedMillis) {
    return new RequestTimeout(request, scan - waitedMillis / periodMillis);
  }

  /** Checks all requests; must be called once per period. */
  void scan() {
    scan++;
    List<RequestTimeout> expired = null;
    // A callback may remove other requests, so all timeouts are collected before any callback runs.
    for (RequestTimeout timeout = first; timeout != null; timeout = timeout.next) {
      if (timeout.isExpired()) {
        expired = expired == null ? new ArrayList<>() : expired;
        expired.add(timeout);
      }
    }
    if (expired != null) {
      expired.forEach(RequestTimeout::notifyRequest);
    }
  }

  /** The timeouts of one request in flight. */
  final class RequestTimeout {
    private final TimedRequest request;
    private final long startScan;
    private long progressScan;
    private boolean responded;
    private boolean removed;
    private boolean blocked;
    private long bytes;

    /**
     * How long the client may still block the origin. Decreases while it does, and increases with
     * each byte that it reads or sends, up to the time for which it may do neither.
     */
    private long creditMillis = stallMillis;

    private @Nullable RequestTimeout previous;
    private @Nullable RequestTimeout next;

    private RequestTimeout(TimedRequest request, long startScan) {
      this.request = request;
      this.startScan = startScan;
      this.progressScan = startScan;
      this.next = first;
      if (first != null) {
        first.previous = this;
      }
      first = this;
    }

    /**
     * Records that a part of the request was sent; the time for the response, or for its next part,
     * starts again.
     */
    void uploaded(int length) {
      bytes += length;
      progressScan = scan;
    }

    /** Sets whether the origin is blocked until the client sends more of its request. */
    void awaitsRequest(boolean isBlocked) {
      if (!responded) {
        blocked = isBlocked;
      }
    }

    /** Records that the origin's response has started. */
    void responded() {
      responded = true;
      blocked = false;
      progressScan = scan;
    }

    /** Records that a part of the response was forwarded to the client. */
    void forwarded(int length) {
      bytes += length;
      progressScan = scan;
    }

    /** Sets whether the origin is blocked until the client reads more of its response. */
    void blocked(boolean isBlocked) {
      blocked = isBlocked;
      progressScan = scan;
    }

    /** Removes the request. Can be called several times. */
    void remove() {
      if (removed) {
        return;
      }
      removed = true;
      if (previous == null) {
        first = next;
      } else {
        previous.next = next;
      }
      if (next != null) {
        next.previous = previous;
      }
    }

    private boolean isExpired() {
      long scans = scan - startScan;
      return isStalled() || scans >= totalScans || isUnanswered() || isIdle();
    }

    private boolean isUnanswered() {
      return !responded && scan - progressScan >= firstByteScans;
    }

    /** While the client blocks the origin, only the limits of slow clients apply. */
    private boolean isIdle() {
      return responded && !blocked && scan - progressScan >= idleScans;
    }

    /** Must be called once per scan. */
    private boolean isStalled() {
      creditMillis = Math.min(stallMillis, creditMillis + bytes * 1_000 / minRate);
      bytes = 0;
      if (blocked) {
        creditMillis -= periodMillis;
      }
      return creditMillis < 0;
    }

    private void notifyRequest() {
      if (!removed) {
        request.onTimeout(kind());
      }
    }

    private TimeoutKind kind() {
      if (creditMillis < 0) {
        return TimeoutKind.CLIENT;
      }
      if (isUnanswered()) {
        return TimeoutKind.FIRST_BYTE;
      }
      return isIdle() ? TimeoutKind.IDLE : TimeoutKind.TOTAL;
    }
  }
}
