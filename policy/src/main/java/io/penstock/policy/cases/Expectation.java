package io.penstock.policy.cases;

import io.penstock.policy.Outcome;
import io.penstock.policy.Verdict;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The expected verdict. Fields that are not listed may have any value. Immutable.
 *
 * @param figures the expected fields of the whole response
 * @param limits the expected fields of each rule that applied, in order
 * @param rules the names of the rules that applied, in order
 */
record Expectation(
    Map<ResponseField, String> figures,
    @Nullable List<Map<ResponseField, String>> limits,
    @Nullable List<String> rules) {
  Expectation {
    figures = Collections.unmodifiableMap(new EnumMap<>(figures));
    limits = limits == null ? null : List.copyOf(limits);
    rules = rules == null ? null : List.copyOf(rules);
  }

  /**
   * Returns the fields that differ; {@code last} states whether to compare fields that change from
   * one request to the next.
   */
  List<Mismatch> mismatches(Verdict verdict, boolean last) {
    List<Mismatch> mismatches = new ArrayList<>();
    figures.forEach(
        (figure, expected) -> {
          if (last || !figure.changesPerRequest()) {
            compare(figure.code(), expected, figure.of(verdict), mismatches);
          }
        });
    if (limits != null) {
      compare(limits, verdict.outcomes(), last, mismatches);
    }
    if (rules != null) {
      compare("rules", rules.toString(), names(verdict).toString(), mismatches);
    }
    return mismatches;
  }

  private static void compare(
      List<Map<ResponseField, String>> limits,
      List<Outcome> outcomes,
      boolean last,
      List<Mismatch> mismatches) {
    compare("limits", "length " + limits.size(), "length " + outcomes.size(), mismatches);
    for (int i = 0; i < Math.min(limits.size(), outcomes.size()); i++) {
      String path = "limits[" + i + "].";
      Outcome outcome = outcomes.get(i);
      limits
          .get(i)
          .forEach(
              (figure, expected) -> {
                if (last || !figure.changesPerRequest()) {
                  compare(path + figure.code(), expected, figure.of(outcome), mismatches);
                }
              });
    }
  }

  private static void compare(
      String field, String expected, String actual, List<Mismatch> mismatches) {
    if (!expected.equals(actual)) {
      mismatches.add(new Mismatch(field, expected, actual));
    }
  }

  private static List<String> names(Verdict verdict) {
    return verdict.outcomes().stream().map(outcome -> outcome.rule().name()).toList();
  }
}
