package io.penstock.policy.advice;

import io.penstock.Limit;
import io.penstock.policy.KeyPart;
import io.penstock.policy.MissingKey;
import io.penstock.policy.Policy;
import io.penstock.policy.Rule;
import io.penstock.policy.RuleProbe;
import io.penstock.policy.accesslog.AccessLogException;
import io.penstock.policy.accesslog.LogEntry;
import io.penstock.policy.accesslog.LogStream;
import io.penstock.policy.replay.LogSpan;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * Derives limits from a log. Use an instance once.
 *
 * <p>The log is read once, into a compact trace of times and keys in a temporary file. The trace is
 * then read for every few rates, so memory depends on the number of keys only.
 */
public final class Advisor {
  private static final int MAX_RATES_PER_PASS = 4;

  /** Each rate takes memory for every key, so with many keys, fewer are computed in a pass. */
  private static final int MAX_KEYS_TIMES_RATES = 2_000_000;

  private final AdviceOptions options;
  private final LogSpan span = new LogSpan();
  private final RequestClasses classes;
  private final PairTable pairs = new PairTable();
  private final AtomicInteger passesDone = new AtomicInteger();
  private volatile int passes;
  private long keyless;
  private long partial;
  private long valueless;
  private long rejected;
  private long unclassified;

  public Advisor(AdviceOptions options) {
    this.options = options;
    this.classes = new RequestClasses(options.per(), options.folding());
  }

  /**
   * Returns how many passes over the requests follow once the log is read; 0 if that is not known
   * yet. Any thread may call it.
   */
  public int passes() {
    return passes;
  }

  /** Returns how many of the {@link #passes} are complete. Any thread may call it. */
  public int passesDone() {
    return passesDone.get();
  }

  /**
   * Reads the log and suggests limits.
   *
   * @throws AccessLogException if a log can't be opened or its format is not recognized
   */
  public Advice run(LogStream log) {
    try (ArrivalTrace trace = new ArrivalTrace()) {
      try (RuleProbe keys = new RuleProbe(Policy.of(anyRule()))) {
        log.forEach(entry -> add(entry, keys, trace));
      }
      trace.finish();
      List<GroupRule> rules = rules();
      RuleBucketIndex index = new RuleBucketIndex(rules, classes.all(), pairs);
      rules.forEach(GroupRule::close);
      List<List<CurvePoint>> curves = curves(trace, index, rules.size());
      List<GroupAdvice> advice = suggest(trace, rules, index, curves);
      return new Advice(
          options,
          span,
          log.summary(),
          keyless,
          partial,
          valueless,
          rejected,
          otherRequests(rules),
          unclassified,
          advice);
    }
  }

  /** Returns a rule with the keys of all suggestions. */
  private Rule anyRule() {
    return Rule.builder("any")
        .limitKeys(options.keys())
        .onMissingKey(options.sharesMissingKeys() ? MissingKey.SHARE : null)
        .limits(List.of(Limit.perSecond(1)))
        .build();
  }

  private void add(LogEntry entry, RuleProbe keys, ArrivalTrace trace) {
    span.add(entry);
    RuleProbe.Treatment treatment = keys.test(entry);
    if (treatment == RuleProbe.Treatment.PATH_REJECTED) {
      rejected += entry.count();
      return;
    }
    if (treatment == RuleProbe.Treatment.SKIPPED) {
      keyless += entry.count();
      return;
    }
    partial += options.sharesMissingKeys() && lacksKey(entry) ? entry.count() : 0;
    int found = classes.find(entry);
    if (found == RequestClasses.NONE) {
      valueless += entry.count();
      return;
    }
    if (found == RequestClasses.OTHER) {
      unclassified += entry.count();
      return;
    }
    classes.all().get(found).add(entry.count());
    int pair = pairs.id(found, keys.key(), treatment == RuleProbe.Treatment.DENIED);
    for (int i = 0; i < entry.count(); i++) {
      trace.add(pair, entry.timeNanos());
    }
  }

  private boolean lacksKey(LogEntry entry) {
    for (KeyPart part : options.keys()) {
      if (part.in(entry) == null) {
        return true;
      }
    }
    return false;
  }

  /** Returns the rules for the groups with the most requests. */
  private List<GroupRule> rules() {
    return requestsByMatch().entrySet().stream()
        .sorted(
            Map.Entry.<Map<String, String>, Long>comparingByValue()
                .reversed()
                .thenComparing(each -> GroupRule.label(each.getKey())))
        .limit(options.maxGroups())
        .map(each -> new GroupRule(each.getKey(), options))
        .toList();
  }

  private Map<Map<String, String>, Long> requestsByMatch() {
    Map<Map<String, String>, Long> groups = new LinkedHashMap<>();
    for (RequestClass each : classes.all()) {
      if (each.match() != null) {
        groups.merge(each.match(), each.requests(), Long::sum);
      }
    }
    return groups;
  }

  /** Returns the requests that no rule applies to. */
  private long otherRequests(List<GroupRule> rules) {
    List<Map<String, String>> reported = rules.stream().map(GroupRule::match).toList();
    return unclassified
        + classes.all().stream()
            .filter(each -> each.match() == null || !reported.contains(each.match()))
            .mapToLong(RequestClass::requests)
            .sum();
  }

  /** Returns the curve of each rule. */
  private List<List<CurvePoint>> curves(ArrivalTrace trace, RuleBucketIndex index, int rules) {
    List<CandidateRate> rates = CandidateRate.ALL;
    int ratesPerPass =
        Math.max(1, Math.min(MAX_RATES_PER_PASS, MAX_KEYS_TIMES_RATES / Math.max(1, index.size())));
    int count = (rates.size() + ratesPerPass - 1) / ratesPerPass;
    // The last pass counts denials.
    passes = count + 1;
    List<List<List<CurvePoint>>> byPass =
        IntStream.range(0, count)
            .parallel()
            .mapToObj(
                pass ->
                    points(
                        trace,
                        rates.subList(
                            pass * ratesPerPass, Math.min(rates.size(), (pass + 1) * ratesPerPass)),
                        index,
                        rules))
            .toList();
    List<List<CurvePoint>> curves = new ArrayList<>();
    for (int rule = 0; rule < rules; rule++) {
      List<CurvePoint> curve = new ArrayList<>();
      for (List<List<CurvePoint>> pass : byPass) {
        curve.addAll(pass.get(rule));
      }
      curves.add(curve);
    }
    return curves;
  }

  private List<List<CurvePoint>> points(
      ArrivalTrace trace, List<CandidateRate> rates, RuleBucketIndex index, int rules) {
    BurstDemand[] demands =
        rates.stream().map(rate -> new BurstDemand(rate, index.size())).toArray(BurstDemand[]::new);
    trace.forEach(
        (pair, time) -> {
          if (!index.isDenied(pair)) {
            for (int i = index.start(pair); i < index.end(pair); i++) {
              for (BurstDemand demand : demands) {
                demand.add(index.bucket(i), time);
              }
            }
          }
        });
    List<List<CurvePoint>> points = new ArrayList<>();
    for (int rule = 0; rule < rules; rule++) {
      List<CurvePoint> curve = new ArrayList<>();
      for (BurstDemand demand : demands) {
        curve.add(CurvePoint.of(demand, index.first(rule), index.first(rule + 1), options));
      }
      points.add(curve);
    }
    passesDone.incrementAndGet();
    return points;
  }

  private List<GroupAdvice> suggest(
      ArrivalTrace trace,
      List<GroupRule> rules,
      RuleBucketIndex index,
      List<List<CurvePoint>> curves) {
    List<DenialForecast> forecasts = new ArrayList<>();
    for (int level = 0; level < Advice.LEVELS.size(); level++) {
      List<DenialForecast.RuleLimit> limits = new ArrayList<>();
      for (int rule = 0; rule < rules.size(); rule++) {
        limits.add(limit(level, curves.get(rule), rules.get(rule).isWritable()));
      }
      forecasts.add(new DenialForecast(limits, index));
    }
    trace.forEach(
        (pair, time) -> {
          for (int i = 0; i < forecasts.size(); i++) {
            forecasts.get(i).add(pair, time);
          }
        });
    passesDone.incrementAndGet();
    List<GroupAdvice> all = new ArrayList<>();
    for (int rule = 0; rule < rules.size(); rule++) {
      List<Suggestion> suggestions = new ArrayList<>();
      for (int level = 0; level < Advice.LEVELS.size(); level++) {
        suggestions.add(forecasts.get(level).suggestion(Advice.LEVELS.get(level), rule, pairs));
      }
      all.add(
          new GroupAdvice(
              rules.get(rule).label(),
              rules.get(rule).match(),
              forecasts.get(0).requests(rule),
              index.first(rule + 1) - index.first(rule),
              curves.get(rule),
              suggestions));
    }
    return all;
  }

  /** Returns the tight, balanced or generous limit. The generous one is twice the balanced one. */
  private static DenialForecast.RuleLimit limit(
      int level, List<CurvePoint> curve, boolean isWritable) {
    CurvePoint point = cheapest(curve, level == 0);
    long burst = burst(point, level == 0);
    return level == 2
        ? new DenialForecast.RuleLimit(point.rate().times(2), 2 * burst, isWritable)
        : new DenialForecast.RuleLimit(point.rate(), burst, isWritable);
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
