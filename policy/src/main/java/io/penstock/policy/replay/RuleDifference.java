package io.penstock.policy.replay;

import io.penstock.policy.report.TextTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The denied requests of the rules of the same name in two policies. Immutable.
 *
 * @param deniedBefore null if the first policy has no such rule
 * @param deniedAfter null if the second policy has no such rule
 */
record RuleDifference(String rule, @Nullable Long deniedBefore, @Nullable Long deniedAfter) {
  /** Returns the rules of both policies of a report. */
  static List<RuleDifference> of(ReplayReport report) {
    Map<String, Long> before = denied(report.policies().get(0));
    Map<String, Long> after = denied(report.policies().get(1));
    List<RuleDifference> changes = new ArrayList<>();
    before.forEach(
        (rule, denied) -> changes.add(new RuleDifference(rule, denied, after.get(rule))));
    after.forEach(
        (rule, denied) -> {
          if (!before.containsKey(rule)) {
            changes.add(new RuleDifference(rule, null, denied));
          }
        });
    return changes;
  }

  private static Map<String, Long> denied(PolicyReport policy) {
    Map<String, Long> denied = new LinkedHashMap<>();
    policy.rules().forEach(rule -> denied.put(rule.rule().name(), rule.denied()));
    return denied;
  }

  String before() {
    return text(deniedBefore);
  }

  String after() {
    return text(deniedAfter);
  }

  private static String text(@Nullable Long denied) {
    return denied == null ? "no rule" : TextTable.count(denied);
  }

  /** Returns the difference with its sign; a missing rule denies nothing. */
  String difference() {
    long difference = value(deniedAfter) - value(deniedBefore);
    return (difference > 0 ? "+" : "") + TextTable.count(difference);
  }

  private static long value(@Nullable Long denied) {
    return denied == null ? 0 : denied;
  }
}
