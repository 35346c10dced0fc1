package io.penstock.policy.advice;

import io.penstock.policy.Attribute;
import io.penstock.policy.accesslog.AccessLogException;
import io.penstock.policy.accesslog.LogEntry;
import io.penstock.policy.accesslog.LogStream;
import io.penstock.policy.path.NormalPath;
import io.penstock.policy.path.PathSettings;
import io.penstock.policy.replay.LogSpan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Derives limits from a log. Use an instance once.
 *
 * <p>The log is read once, into a compact trace of times and keys in a temporary file. The trace is
 * then read for every few rates, so memory depends on the number of keys only.
 */
public final class Advisor {
  private static final int MAX_GROUPS = 20_000;
  private static final int MAX_CACHED_PATHS = 100_000;
  private static final int MAX_CACHED_LENGTH = 256;
  private static final int MAX_RATES_PER_PASS = 4;

  /** Each rate takes memory for every key, so with many keys, fewer are computed in a pass. */
  private static final int MAX_KEYS_TIMES_RATES = 2_000_000;

  private final AdviceOptions options;
  private final KeyNames keyNames;
  private final LogSpan span = new LogSpan();
  private final Map<Map<String, String>, RequestGroup> groups = new LinkedHashMap<>();
  private final Map<String, String> foldedPaths = new HashMap<>();
  private final List<String> names = new ArrayList<>();
  private long keyless;
  private long partial;
  private long valueless;

  public Advisor(AdviceOptions options) {
    this.options = options;
    this.keyNames = new KeyNames(options.keys());
  }

  /**
   * Reads the log and suggests limits.
   *
   * @throws AccessLogException if a log can't be opened or its format is not recognized
   */
  public Advice run(LogStream log) {
    try (ArrivalTrace trace = new ArrivalTrace()) {
      log.forEach(entry -> add(entry, trace));
      trace.finish();
      List<RequestGroup> reported =
          groups.values().stream()
              .sorted(
                  Comparator.comparingLong(RequestGroup::requests)
                      .reversed()
                      .thenComparing(RequestGroup::label))
              .limit(options.maxGroups())
              .toList();
      List<List<CurvePoint>> curves = curves(trace, reported);
      List<GroupAdvice> advice = suggest(trace, reported, curves);
      long shown = reported.stream().mapToLong(RequestGroup::requests).sum();
      return new Advice(
          options,
          span,
          log.summary(),
          keyless,
          partial,
          valueless,
          span.requests() - keyless - valueless - shown,
          advice);
    }
  }

  private void add(LogEntry entry, ArrivalTrace trace) {
    span.add(entry);
    String key = keyNames.of(entry);
    RequestGroup group = key == null ? null : group(entry);
    partial += key != null && keyNames.isPartial() ? entry.count() : 0;
    if (key == null) {
      keyless += entry.count();
    } else if (group != null) {
      Integer known = group.ids().get(key);
      int id = known == null ? names.size() : known;
      if (known == null) {
        group.ids().put(key, id);
        names.add(key);
      }
      group.add(id, known == null, entry.count());
      for (int i = 0; i < entry.count(); i++) {
        trace.add(id, entry.timeNanos());
      }
    }
  }

  /** Returns the group of a request; null if there are too many groups, or if it has none. */
  private @Nullable RequestGroup group(LogEntry entry) {
    Map<String, String> match = options.per().isEmpty() ? Map.of() : new LinkedHashMap<>();
    for (Attribute attribute : options.per()) {
      String value = value(attribute, entry);
      if (value == null || value.isEmpty()) {
        valueless += entry.count();
        return null;
      }
      match.put(attribute.toString(), value);
    }
    RequestGroup known = groups.get(match);
    if (known == null && groups.size() < MAX_GROUPS) {
      known = new RequestGroup(match);
      groups.put(match, known);
    }
    return known;
  }

  /** Returns the value that a rule would match. */
  private @Nullable String value(Attribute attribute, LogEntry entry) {
    String value = attribute.of(entry);
    if (value == null) {
      return null;
    }
    return switch (attribute.source()) {
      case PATH ->
          foldedPaths.size() < MAX_CACHED_PATHS && value.length() <= MAX_CACHED_LENGTH
              ? foldedPaths.computeIfAbsent(value, this::fold)
              : fold(value);
      // A rule for GET applies to HEAD as well.
      case METHOD -> value.equals("HEAD") ? "GET" : value;
      default -> value;
    };
  }

  /** Returns an empty text if the path is rejected before rules match. */
  private String fold(String path) {
    String matched = NormalPath.matched(path, PathSettings.DEFAULT);
    return matched == null ? "" : options.folding().fold(matched);
  }

  /** Returns the curve of each group. */
  private List<List<CurvePoint>> curves(ArrivalTrace trace, List<RequestGroup> reported) {
    List<CandidateRate> rates = CandidateRate.ALL;
    int ratesPerPass =
        Math.max(1, Math.min(MAX_RATES_PER_PASS, MAX_KEYS_TIMES_RATES / Math.max(1, names.size())));
    int passes = (rates.size() + ratesPerPass - 1) / ratesPerPass;
    List<List<List<CurvePoint>>> byPass =
        IntStream.range(0, passes)
            .parallel()
            .mapToObj(
                pass ->
                    points(
                        trace,
                        rates.subList(
                            pass * ratesPerPass, Math.min(rates.size(), (pass + 1) * ratesPerPass)),
                        reported))
            .toList();
    List<List<CurvePoint>> curves = new ArrayList<>();
    for (int group = 0; group < reported.size(); group++) {
      List<CurvePoint> curve = new ArrayList<>();
      for (List<List<CurvePoint>> pass : byPass) {
        curve.addAll(pass.get(group));
      }
      curves.add(curve);
    }
    return curves;
  }

  private List<List<CurvePoint>> points(
      ArrivalTrace trace, List<CandidateRate> rates, List<RequestGroup> reported) {
    BurstDemand[] demands =
        rates.stream().map(rate -> new BurstDemand(rate, names.size())).toArray(BurstDemand[]::new);
    trace.forEach(
        (key, time) -> {
          for (BurstDemand demand : demands) {
            demand.add(key, time);
          }
        });
    List<List<CurvePoint>> points = new ArrayList<>();
    for (RequestGroup group : reported) {
      List<CurvePoint> curve = new ArrayList<>();
      for (BurstDemand demand : demands) {
        curve.add(CurvePoint.of(demand, group, options));
      }
      points.add(curve);
    }
    return points;
  }

  private List<GroupAdvice> suggest(
      ArrivalTrace trace, List<RequestGroup> reported, List<List<CurvePoint>> curves) {
    int[] groupOf = new int[names.size()];
    Arrays.fill(groupOf, -1);
    // A key belongs to one group, in which it has a number of its own.
    int[] indexInGroup = new int[names.size()];
    List<List<DenialForecast>> forecasts = new ArrayList<>();
    for (int i = 0; i < reported.size(); i++) {
      List<Integer> keys = reported.get(i).keys();
      for (int index = 0; index < keys.size(); index++) {
        groupOf[keys.get(index)] = i;
        indexInGroup[keys.get(index)] = index;
      }
      forecasts.add(forecasts(curves.get(i), keys.size()));
    }
    trace.forEach(
        (key, time) -> {
          if (groupOf[key] >= 0) {
            for (DenialForecast forecast : forecasts.get(groupOf[key])) {
              forecast.add(indexInGroup[key], time);
            }
          }
        });
    List<GroupAdvice> all = new ArrayList<>();
    for (int i = 0; i < reported.size(); i++) {
      RequestGroup group = reported.get(i);
      List<Suggestion> suggestions = new ArrayList<>();
      for (int level = 0; level < Advice.LEVELS.size(); level++) {
        suggestions.add(
            forecasts.get(i).get(level).suggestion(Advice.LEVELS.get(level), group, names));
      }
      all.add(
          new GroupAdvice(
              group.label(),
              group.match(),
              group.requests(),
              group.keys().size(),
              curves.get(i),
              suggestions));
    }
    return all;
  }

  /** Returns the tight, balanced and generous limit. The generous one is twice the balanced one. */
  private static List<DenialForecast> forecasts(List<CurvePoint> curve, int keys) {
    CurvePoint tight = cheapest(curve, true);
    CurvePoint balanced = cheapest(curve, false);
    return List.of(
        new DenialForecast(tight.rate(), tight.tight(), keys),
        new DenialForecast(balanced.rate(), balanced.spared(), keys),
        new DenialForecast(balanced.rate().times(2), 2 * balanced.spared(), keys));
  }

  /**
   * Returns the point with the smallest burst + rate × horizon, which is what a caller gets within
   * the horizon. A bucket that takes longer to refill would fit a short log, but not a longer one.
   */
  private static CurvePoint cheapest(List<CurvePoint> curve, boolean isTight) {
    return curve.stream()
        .filter(
            point -> burst(point, isTight) / point.rate().perSecond() <= Advice.MAX_REFILL_SECONDS)
        .min(
            Comparator.comparingDouble(
                point -> burst(point, isTight) + point.rate().perSecond() * Advice.HORIZON_SECONDS))
        .orElse(curve.get(curve.size() - 1));
  }

  private static long burst(CurvePoint point, boolean isTight) {
    return isTight ? point.tight() : point.spared();
  }
}
