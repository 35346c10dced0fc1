package io.penstock.server.metrics;

import io.penstock.policy.Outcome;
import io.penstock.policy.Verdict;
import io.penstock.policy.http.GateObserver;
import io.penstock.policy.metrics.DecisionMeters;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The decision times of the requests that each rule applied to, including store calls. Thread-safe.
 * One operation on the store decides all rules of a request, so all of them have the time of the
 * request.
 */
public final class RuleLatency implements GateObserver {
  private final Map<String, LatencyHistogram> rules = new ConcurrentHashMap<>();

  @Override
  public void decided(Verdict verdict, long nanos) {
    List<Outcome> outcomes = verdict.outcomes();
    for (int i = 0; i < outcomes.size(); i++) {
      String rule = outcomes.get(i).rule().name();
      LatencyHistogram histogram = rules.get(rule);
      (histogram == null ? add(rule) : histogram).record(nanos);
    }
  }

  private LatencyHistogram add(String rule) {
    String label = rules.size() < DecisionMeters.MAX_RULES ? rule : DecisionMeters.OTHER;
    return rules.computeIfAbsent(label, unused -> new LatencyHistogram());
  }

  /**
   * Returns the number of decisions in each bucket since the start; null if the rule has none of
   * its own.
   */
  public long @Nullable [] counts(String rule) {
    LatencyHistogram histogram = rules.get(rule);
    return histogram == null ? null : histogram.counts();
  }
}
