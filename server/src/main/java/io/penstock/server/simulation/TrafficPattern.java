package io.penstock.server.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A typical course of requests over time. */
public enum TrafficPattern {
  /** Requests at equal distances. */
  STEADY {
    @Override
    List<TrafficPart> parts(double rate, double seconds) {
      return List.of(new TrafficPart(0, seconds, rate * seconds));
    }
  },
  /** Every ten seconds, the requests of ten seconds at once. */
  BURSTS {
    @Override
    List<TrafficPart> parts(double rate, double seconds) {
      List<TrafficPart> parts = new ArrayList<>();
      for (double start = 0; start < seconds; start += PERIOD_SECONDS) {
        parts.add(new TrafficPart(start, start, rate * PERIOD_SECONDS));
      }
      return parts;
    }
  },
  /** The requests of ten seconds within the first second, then requests at equal distances. */
  APP_START {
    @Override
    List<TrafficPart> parts(double rate, double seconds) {
      double start = Math.min(1, seconds);
      return List.of(
          new TrafficPart(0, start, rate * PERIOD_SECONDS),
          new TrafficPart(start, seconds, rate * (seconds - start)));
    }
  },
  /**
   * Requests at equal distances, interrupted by an outage from a third to a half of the time. At
   * its end, all requests that failed meanwhile arrive at once.
   */
  RETRY_STORM {
    @Override
    List<TrafficPart> parts(double rate, double seconds) {
      double outage = seconds / 3;
      double end = seconds / 2;
      return List.of(
          new TrafficPart(0, outage, rate * outage),
          new TrafficPart(end, end, rate * (end - outage)),
          new TrafficPart(end, seconds, rate * (seconds - end)));
    }
  };

  private static final double PERIOD_SECONDS = 10;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double NANOS_PER_MILLI = 1e6;

  /** Requests at equal distances, or all at once if start and end are the same. */
  record TrafficPart(double startSeconds, double endSeconds, double requests) {}

  abstract List<TrafficPart> parts(double rate, double seconds);

  /** Returns the name used in requests. */
  public String code() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the number of requests. */
  public double requests(double rate, Duration duration) {
    return parts(rate, seconds(duration)).stream().mapToDouble(TrafficPart::requests).sum();
  }

  /**
   * Returns the requests, each of cost 1.
   *
   * @param rate the average number of requests a second
   * @param maxArrivals the max number of arrivals for each part; beyond it, neighboring requests
   *     arrive together
   */
  public List<Arrival> arrivals(double rate, Duration duration, int maxArrivals) {
    List<Arrival> arrivals = new ArrayList<>();
    for (TrafficPart part : parts(rate, seconds(duration))) {
      int total = (int) Math.round(part.requests);
      int together =
          part.startSeconds == part.endSeconds
              ? Math.max(1, total)
              : (total + maxArrivals - 1) / maxArrivals;
      for (int sent = 0; sent < total; sent += together) {
        double at =
            part.startSeconds + (part.endSeconds - part.startSeconds) * sent / part.requests;
        // In whole milliseconds, like the arrivals of a request.
        long atNanos =
            (long) (Math.floor(at * NANOS_PER_SECOND / NANOS_PER_MILLI) * NANOS_PER_MILLI);
        arrivals.add(new Arrival(atNanos, Math.min(together, total - sent), 1));
      }
    }
    return arrivals;
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / NANOS_PER_SECOND;
  }
}
