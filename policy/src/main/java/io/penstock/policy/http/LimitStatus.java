package io.penstock.policy.http;

import io.penstock.Decision;
import io.penstock.policy.Explanation.ExpectedCharge;
import io.penstock.policy.Outcome;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of one limit of a rule before and after a request. Immutable.
 *
 * @param after null if the rule is not evaluated
 */
record LimitStatus(Decision before, @Nullable Decision after) {
  /**
   * Returns the state of each limit of the rule, in order; empty if it has no bucket for the
   * request.
   */
  static List<LimitStatus> of(ExpectedCharge charge, @Nullable Outcome outcome) {
    List<LimitStatus> levels = new ArrayList<>();
    if (charge.before() != null) {
      List<Decision> after = outcome == null ? List.of() : outcome.decision().results();
      for (Decision before : charge.before().results()) {
        levels.add(
            new LimitStatus(
                before, levels.size() < after.size() ? after.get(levels.size()) : null));
      }
    }
    return levels;
  }
}
