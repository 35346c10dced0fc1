package io.penstock.server.admin;

import com.fasterxml.jackson.core.JsonGenerator;
import io.penstock.policy.Rule;
import io.penstock.policy.metrics.DecisionMeters;
import io.penstock.server.PolicyHolder;
import io.penstock.server.figures.DecisionCounts;
import io.penstock.server.figures.DecisionTimeline;
import io.penstock.server.figures.Resolution;
import io.penstock.server.figures.TimelineView;
import io.penstock.server.figures.TopDenied;
import io.penstock.server.figures.TopKey;
import io.penstock.server.http.JsonResponses;
import io.penstock.server.http.ProblemResponses;
import io.penstock.server.metrics.LatencyPercentiles;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** The endpoints that return figures in memory. Thread-safe. */
public final class FigureEndpoints {
  private static final int MAX_KEYS = 1_000;
  private static final int DEFAULT_KEYS = 20;
  private static final double TENTHS = 10;

  private final PolicyHolder policyHolder;
  private final TopDenied topDenied;
  private final DecisionTimeline timeline;
  private final LiveFigures live;

  public FigureEndpoints(
      PolicyHolder policyHolder, TopDenied topDenied, DecisionTimeline timeline, LiveFigures live) {
    this.policyHolder = policyHolder;
    this.topDenied = topDenied;
    this.timeline = timeline;
    this.live = live;
  }

  void top(HttpServerRequest request) {
    Parameters parameters = Parameters.of(request, Set.of("rule", "limit"));
    int limit = (int) parameters.whole("limit", 1, MAX_KEYS, DEFAULT_KEYS);
    String rule = parameters.text("rule");
    if (!parameters.validOrRespond() || !isKnownOrRespond(request, rule)) {
      return;
    }
    TopDenied.TopKeys top = rule == null ? topDenied.top(limit) : topDenied.top(rule, limit);
    JsonResponses.end(
        request.response(),
        json -> {
          json.writeStartObject();
          json.writeNumberField("window_seconds", TopDenied.WINDOW.toSeconds());
          json.writeNumberField("denied", top.denied());
          json.writeNumberField("uncounted", topDenied.uncounted());
          json.writeFieldName("keys");
          writeKeys(top.keys(), json);
          json.writeEndObject();
        });
  }

  private static void writeKeys(List<TopKey> keys, JsonGenerator json) throws IOException {
    json.writeStartArray();
    for (TopKey key : keys) {
      json.writeStartObject();
      writeFields(key, json);
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  static void writeFields(TopKey key, JsonGenerator json) throws IOException {
    json.writeStringField("rule", key.rule());
    json.writeStringField("key", key.key());
    json.writeNumberField("denied", key.denied());
    json.writeNumberField("error", key.error());
    json.writeStringField("last", key.last().toString());
  }

  void activity(HttpServerRequest request) {
    JsonResponses.endLarge(request, live::writeActivity);
  }

  void timeline(HttpServerRequest request) {
    Parameters parameters = Parameters.of(request, Set.of("rule", "resolution", "points"));
    String rule = parameters.text("rule");
    Resolution stated =
        parameters.parsed("resolution", "must be second or minute", FigureEndpoints::resolution);
    Resolution resolution = stated == null ? Resolution.SECOND : stated;
    int max = resolution.points();
    int points = (int) parameters.whole("points", 1, max, max);
    if (parameters.validOrRespond() && isKnownOrRespond(request, rule)) {
      respond(request, rule, resolution, points);
    }
  }

  private static @Nullable Resolution resolution(String text) {
    for (Resolution resolution : Resolution.values()) {
      if (code(resolution).equals(text)) {
        return resolution;
      }
    }
    return null;
  }

  private static String code(Resolution resolution) {
    return resolution.name().toLowerCase(Locale.ROOT);
  }

  private void respond(
      HttpServerRequest request, @Nullable String rule, Resolution resolution, int points) {
    if (rule == null) {
      write(request, null, timeline.requests(resolution, points));
      return;
    }
    Optional<TimelineView> own = timeline.rule(rule, resolution, points);
    if (own.isPresent()) {
      write(request, rule, own.get());
      return;
    }
    // Either the rule has decided nothing yet, or it is counted together with others.
    Optional<TimelineView> others = timeline.rule(DecisionMeters.OTHER, resolution, points);
    if (others.isPresent() && rule(DecisionMeters.OTHER) == null) {
      write(request, DecisionMeters.OTHER, others.get());
    } else {
      write(request, rule, timeline.requests(resolution, points).withoutDecisions());
    }
  }

  private boolean isKnownOrRespond(HttpServerRequest request, @Nullable String name) {
    if (name == null || rule(name) != null) {
      return true;
    }
    ProblemResponses.end(
        request.response(), 404, "Not Found", "No active rule has this name: " + name);
    return false;
  }

  private @Nullable Rule rule(String name) {
    for (Rule rule : policyHolder.engine().policy().rules()) {
      if (rule.name().equals(name)) {
        return rule;
      }
    }
    return null;
  }

  private static void write(HttpServerRequest request, @Nullable String rule, TimelineView view) {
    JsonResponses.endLarge(
        request,
        json -> {
          json.writeStartObject();
          json.writeStringField("rule", rule);
          json.writeStringField("resolution", code(view.resolution()));
          json.writeNumberField("step_seconds", view.resolution().seconds());
          json.writeStringField("start", view.start().toString());
          json.writeStringField("end", view.end().toString());
          write("allowed", DecisionCounts::allowed, view, json);
          write("denied", DecisionCounts::denied, view, json);
          write("degraded", DecisionCounts::degraded, view, json);
          write("shadow_denied", DecisionCounts::shadowDenied, view, json);
          writeLatency("p50_us", LatencyPercentiles::p50Micros, view, json);
          writeLatency("p99_us", LatencyPercentiles::p99Micros, view, json);
          json.writeEndObject();
        });
  }

  private static void write(
      String name, ToLongFunction<DecisionCounts> count, TimelineView view, JsonGenerator json)
      throws IOException {
    json.writeArrayFieldStart(name);
    for (TimelineView.TimelinePoint point : view.points()) {
      json.writeNumber(count.applyAsLong(point.counts()));
    }
    json.writeEndArray();
  }

  private static void writeLatency(
      String name,
      ToDoubleFunction<LatencyPercentiles> percentile,
      TimelineView view,
      JsonGenerator json)
      throws IOException {
    json.writeArrayFieldStart(name);
    for (TimelineView.TimelinePoint point : view.points()) {
      LatencyPercentiles latency = point.latency();
      if (latency == null) {
        json.writeNull();
      } else {
        json.writeNumber(rounded(percentile.applyAsDouble(latency)));
      }
    }
    json.writeEndArray();
  }

  /** Rounds microseconds to tenths. */
  static double rounded(double micros) {
    return Math.round(micros * TENTHS) / TENTHS;
  }
}
