package io.penstock.policy;

import io.penstock.Decision;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a policy comes to its verdict on a request, which is not charged for it. Immutable.
 *
 * @param verdict what the request would be told now
 * @param findings each rule of the policy, in its order
 */
public record Explanation(Verdict verdict, List<Finding> findings) {
  public Explanation {
    findings = List.copyOf(findings);
  }

  /**
   * What became of one rule.
   *
   * @param rule the rule
   * @param applies whether it counts for the request
   * @param why what it applies or doesn't apply for
   * @param before how its bucket stands now, if it applies and has one
   * @param outcome what it would say, if it applies and is asked
   */
  public record Finding(
      Rule rule,
      boolean applies,
      String why,
      @Nullable Decision before,
      @Nullable Outcome outcome) {}
}
