package io.penstock.server.admin;

import io.penstock.TokenBucket;
import io.penstock.policy.load.BucketFields;
import io.penstock.policy.load.Fields;
import io.penstock.policy.load.Located;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.Problems;
import io.penstock.server.simulation.Arrival;
import io.penstock.server.simulation.RetryBehavior;
import io.penstock.server.simulation.SimulationInput;
import io.penstock.server.simulation.TrafficPattern;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads a request for a simulation. Not thread-safe. */
final class SimulationRequest {
  static final int MAX_ARRIVALS = 20_000;
  static final int MAX_REQUESTS = 1_000_000;

  private static final int MAX_DURATION_MILLIS = 3_600_000;
  private static final int DEFAULT_DURATION_MILLIS = 60_000;
  private static final double TOKEN = 1_000;
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final Problems problems;
  private final Fields fields;

  private SimulationRequest(Fields fields, Problems problems) {
    this.fields = fields;
    this.problems = problems;
  }

  /** Reads a request body; returns null and adds errors if it is invalid. */
  static @Nullable SimulationInput read(Node document, Problems problems) {
    Fields fields = Fields.of(new Located<>(document, document.at(), ""), problems);
    return fields == null ? null : new SimulationRequest(fields, problems).read();
  }

  private @Nullable SimulationInput read() {
    TokenBucket limit = BucketFields.read(fields);
    Duration duration =
        Duration.ofMillis(
            fields.whole("duration_ms", 1, MAX_DURATION_MILLIS, DEFAULT_DURATION_MILLIS));
    Map<String, RetryBehavior> retries = new LinkedHashMap<>();
    for (RetryBehavior each : RetryBehavior.values()) {
      retries.put(each.code(), each);
    }
    RetryBehavior retry = fields.choice("retry", retries, RetryBehavior.NONE);
    List<Arrival> arrivals = List.of();
    if (fields.given("pattern")) {
      fields.reject("arrivals", "must not be combined with pattern");
      arrivals = pattern(duration);
    } else if (fields.given("arrivals")) {
      arrivals = arrivals();
    } else {
      fields.error("arrivals", "is required, or pattern");
    }
    fields.done();
    return limit == null ? null : new SimulationInput(limit, arrivals, duration, retry);
  }

  private List<Arrival> arrivals() {
    List<Located<Node>> items = fields.list("arrivals");
    if (items == null) {
      return List.of();
    }
    if (items.size() > MAX_ARRIVALS) {
      fields.error("arrivals", "must have at most " + MAX_ARRIVALS + " items: " + items.size());
      return List.of();
    }
    List<Arrival> arrivals = new ArrayList<>(items.size());
    long requests = 0;
    for (Located<Node> item : items) {
      Arrival arrival = arrival(item);
      if (arrival != null) {
        arrivals.add(arrival);
        requests += arrival.requests();
      }
    }
    if (requests > MAX_REQUESTS) {
      fields.error("arrivals", "must have at most " + MAX_REQUESTS + " requests: " + requests);
    }
    return arrivals;
  }

  private @Nullable Arrival arrival(Located<Node> item) {
    Fields arrival = Fields.of(item, problems);
    if (arrival == null) {
      return null;
    }
    arrival.require("at_ms");
    int atMillis = arrival.whole("at_ms", 0, MAX_DURATION_MILLIS, 0);
    int requests = arrival.whole("requests", 1, MAX_REQUESTS, 1);
    Long cost =
        arrival.given("cost") ? arrival.number("cost", KeyRequest::thousandths) : (Long) 1_000L;
    arrival.done();
    return cost == null ? null : new Arrival(atMillis * NANOS_PER_MILLI, requests, cost / TOKEN);
  }

  private List<Arrival> pattern(Duration duration) {
    Fields pattern = fields.mapping("pattern");
    if (pattern == null) {
      return List.of();
    }
    pattern.require("kind");
    pattern.require("rate");
    Map<String, TrafficPattern> kinds = new LinkedHashMap<>();
    for (TrafficPattern each : TrafficPattern.values()) {
      kinds.put(each.code(), each);
    }
    TrafficPattern kind = pattern.choice("kind", kinds);
    Double rate = pattern.number("rate", SimulationRequest::rate);
    pattern.done();
    if (kind == null || rate == null) {
      return List.of();
    }
    if (kind.requests(rate, duration) > MAX_REQUESTS) {
      pattern.error("rate", "must lead to at most " + MAX_REQUESTS + " requests in duration_ms");
      return List.of();
    }
    return kind.arrivals(rate, duration, MAX_ARRIVALS);
  }

  private static double rate(BigDecimal rate) {
    if (rate.signum() <= 0 || rate.compareTo(BigDecimal.valueOf(MAX_REQUESTS)) > 0) {
      throw new IllegalArgumentException(
          "must be positive, at most " + MAX_REQUESTS + " requests a second: " + rate);
    }
    return rate.doubleValue();
  }
}
