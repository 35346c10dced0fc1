package io.penstock.policy.http;

import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.policy.Rule;
import java.util.List;

/**
 * Numbers the limits of a rule, so that a name in headers always refers to the same limit. Numbers
 * start at 1 and follow the order in the rule. The only limit of a rule has the number 0, which is
 * not shown.
 */
final class LimitNumbers {
  private LimitNumbers() {}

  /** Returns the number of the limit at an index of the rule. */
  static int of(Rule rule, int index) {
    return rule.limits().size() == 1 ? 0 : index + 1;
  }

  /** Returns the number of the limit whose figures a decision has. */
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
    return of(rule, indexOf(decision.limit(), rule));
  }

  /** Returns the number of the limit that one of the results of a rule belongs to. */
  static int of(Rule rule, List<Decision> results, int index) {
    // A request that is denied without asking the store has one result for all limits.
    boolean each = results.size() == rule.limits().size();
    return of(rule, each ? index : indexOf(results.get(index).limit(), rule));
  }

  private static int indexOf(Limit limit, Rule rule) {
    return Math.max(0, rule.limits().indexOf(limit));
  }
}
