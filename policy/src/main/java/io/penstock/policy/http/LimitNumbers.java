package io.penstock.policy.http;

import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.policy.Rule;
import java.util.List;

/**
 * What tells the limits of a rule apart in headers, so that a name always stands for the same
 * figures: their places in the rule, from 1. The only limit of a rule has no number, which is 0.
 */
final class LimitNumbers {
  private LimitNumbers() {}

  /** The number of the limit at a place. */
  static int of(Rule rule, int place) {
    return rule.limits().size() == 1 ? 0 : place + 1;
  }

  /** The number of the limit that a decision has the figures of. */
  static int of(Rule rule, Decision decision) {
    if (rule.limits().size() == 1) {
      return 0;
    }
    List<Decision> results = decision.results();
    for (int i = 0; i < results.size(); i++) {
      if (results.get(i).limiter().equals(decision.limiter())) {
        return of(rule, results, i);
      }
    }
    return of(rule, placeOf(decision.limit(), rule));
  }

  /** The number of the limit that one of the results of a rule is of. */
  static int of(Rule rule, List<Decision> results, int index) {
    // A request that is denied without asking has one result for all limits.
    boolean each = results.size() == rule.limits().size();
    return of(rule, each ? index : placeOf(results.get(index).limit(), rule));
  }

  private static int placeOf(Limit limit, Rule rule) {
    return Math.max(0, rule.limits().indexOf(limit));
  }
}
