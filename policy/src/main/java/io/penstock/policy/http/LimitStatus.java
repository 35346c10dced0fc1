package io.penstock.policy.http;

import io.penstock.Decision;
import io.penstock.policy.Explanation.ExpectedCharge;
import io.penstock.policy.Outcome;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How one limit of a rule stands before a request, and would after it. Immutable.
 *
 * @param after null if the rule is not asked
 */
record LimitStatus(Decision before, @Nullable Decision after) {
  /** One for each limit of the rule, in its order; none if it has no bucket for the request. */
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
