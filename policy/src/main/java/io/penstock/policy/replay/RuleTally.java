package io.penstock.policy.replay;

import io.penstock.policy.Mode;
import io.penstock.policy.Outcome;
import io.penstock.policy.Rule;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Counts the outcomes of one rule. Not thread-safe. Memory grows with the number of keys. */
final class RuleTally {
  private static final int MAX_WORST = 10;

  private final Rule rule;
  private final Map<String, KeyTally> keys = new HashMap<>();
  private final Timeline timeline = new Timeline();
  private Mode mode;
  private long requests;
  private long denied;
  private long skipped;

  private static final class KeyTally {
    long requests;
    long denied;
  }

  RuleTally(Rule rule) {
    this.rule = rule;
    this.mode = rule.rollout().mode();
  }

  void add(Outcome outcome, long timeNanos) {
    boolean isDenied = !outcome.decision().allowed();
    KeyTally key = keys.get(outcome.key());
    if (key == null) {
      key = new KeyTally();
      keys.put(outcome.key(), key);
    }
    key.requests++;
    requests++;
    if (isDenied) {
      key.denied++;
      denied++;
    }
    mode = outcome.mode();
    timeline.add(timeNanos, isDenied ? 1 : 0, 1);
  }

  void addSkipped() {
    skipped++;
  }

  RuleReport report() {
    List<KeyCount> worst =
        keys.entrySet().stream()
            .filter(each -> each.getValue().denied > 0)
            .map(
                each ->
                    new KeyCount(each.getKey(), each.getValue().requests, each.getValue().denied))
            .sorted(
                Comparator.comparingLong(KeyCount::denied).reversed().thenComparing(KeyCount::key))
            .limit(MAX_WORST)
            .toList();
    long hit = keys.values().stream().filter(key -> key.denied > 0).count();
    return new RuleReport(
        rule, mode, requests, denied, skipped, keys.size(), hit, worst, timeline.intervals());
  }
}
