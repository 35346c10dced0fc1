package io.penstock.server.proxy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one event loop that are on their way, and which of them take too long. Used by
 * that event loop alone.
 *
 * <p>Two timers of Vert.x for every request, set and cancelled, cost more than to look through all
 * that are under way now and then: those are few, and time need not be read for each.
 */
final class InFlightRequests {
  private static final int LOOKS = 16;
  private static final long MIN_MILLIS = 1;
  private static final long MAX_MILLIS = 1_000;

  private final long periodMillis;
  private final long firstByteLooks;
  private final long totalLooks;
  private final long stallMillis;
  private final long minRate;
  private long look;
  private @Nullable RequestTimeout first;

  /**
   * @param firstByte how long the origin may take to begin its answer; zero for ever
   * @param total how long all may take; zero for ever
   * @param slowClients when a client that reads slowly loses its response
   */
  InFlightRequests(Duration firstByte, Duration total, Upstream.SlowClients slowClients) {
    this.periodMillis = periodMillis(firstByte, total, slowClients.stall());
    this.firstByteLooks = looks(firstByte);
    this.totalLooks = looks(total);
    this.stallMillis = slowClients.stall().toMillis();
    this.minRate = slowClients.minRate();
  }

  private static long periodMillis(Duration firstByte, Duration total, Duration stall) {
    long shortest = stall.toMillis();
    if (!firstByte.isZero()) {
      shortest = Math.min(shortest, firstByte.toMillis());
    }
    if (!total.isZero()) {
      shortest = Math.min(shortest, total.toMillis());
    }
    return Math.min(MAX_MILLIS, Math.max(MIN_MILLIS, shortest / LOOKS));
  }

  /** In so many looks a time is over for sure: the first may come at once. */
  private long looks(Duration time) {
    return time.isZero() ? Long.MAX_VALUE : time.toMillis() / periodMillis + 2;
  }

  /** How often {@link #look} is to be called. */
  long periodMillis() {
    return periodMillis;
  }

  /** What is told that it takes too long. */
  interface TimedRequest {
    void late(TimeoutKind why);
  }

  /** What took too long. */
  enum TimeoutKind {
    FIRST_BYTE("The origin did not answer in time"),
    TOTAL("The origin took too long"),
    CLIENT("The client read too slowly");

    private final String detail;

    TimeoutKind(String detail) {
      this.detail = detail;
    }

    String detail() {
      return detail;
    }
  }

  /** A request sets out. */
  RequestTimeout enter(TimedRequest request) {
    return new RequestTimeout(request, look);
  }

  /** A request sets out that has been waiting before. */
  RequestTimeout enter(TimedRequest request, long waitedMillis) {
    return new RequestTimeout(request, look - waitedMillis / periodMillis);
  }

  /** A period has passed. */
  void look() {
    look++;
    List<RequestTimeout> late = null;
    // Whoever is told may take others along, so all are found before any is told.
    for (RequestTimeout stay = first; stay != null; stay = stay.next) {
      if (stay.isLate()) {
        late = late == null ? new ArrayList<>() : late;
        late.add(stay);
      }
    }
    if (late != null) {
      late.forEach(RequestTimeout::tell);
    }
  }

  /** The time of one request on its way. */
  final class RequestTimeout {
    private final TimedRequest request;
    private final long since;
    private boolean answered;
    private boolean left;
    private boolean blocked;
    private long bytes;

    /**
     * How long the client may still hold up the origin: less while it does, and more with each byte
     * that it takes, up to the time for which it may take none.
     */
    private long creditMillis = stallMillis;

    private @Nullable RequestTimeout previous;
    private @Nullable RequestTimeout next;

    private RequestTimeout(TimedRequest request, long since) {
      this.request = request;
      this.since = since;
      this.next = first;
      if (first != null) {
        first.previous = this;
      }
      first = this;
    }

    /** The origin has begun to answer. */
    void answered() {
      answered = true;
    }

    /** A part of the answer was passed to the client. */
    void passed(int length) {
      bytes += length;
    }

    /** Whether the origin waits for the client to read. */
    void blocked(boolean now) {
      blocked = now;
    }

    /** It is over, however it went. May be called again. */
    void leave() {
      if (left) {
        return;
      }
      left = true;
      if (previous == null) {
        first = next;
      } else {
        previous.next = next;
      }
      if (next != null) {
        next.previous = previous;
      }
    }

    private boolean isLate() {
      long looks = look - since;
      return isStalled() || looks >= totalLooks || (!answered && looks >= firstByteLooks);
    }

    /** To be called once a look. */
    private boolean isStalled() {
      creditMillis = Math.min(stallMillis, creditMillis + bytes * 1_000 / minRate);
      bytes = 0;
      if (blocked) {
        creditMillis -= periodMillis;
      }
      return creditMillis < 0;
    }

    private void tell() {
      if (!left) {
        request.late(
            creditMillis < 0
                ? TimeoutKind.CLIENT
                : answered ? TimeoutKind.TOTAL : TimeoutKind.FIRST_BYTE);
      }
    }
  }
}
