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
   * @param why what it applies or doesn't apply for, in one line
   * @param charge what it would take from where, if it applies and isn't unlimited
   * @param outcome what it would say, if it applies and is asked: a shadow isn't when the request
   *     is denied, and no rule but those that refuse it when one does for want of a key
   */
  public record Finding(
      Rule rule,
      boolean applies,
      String why,
      @Nullable ExpectedCharge charge,
      @Nullable Outcome outcome) {}

  /**
   * What a rule would take, and where.
   *
   * @param mode whether it binds for this request
   * @param key the bucket within the rule's group, private values hashed; empty for one bucket for
   *     all, or if there is none
   * @param cost in thousandths of a token
   * @param before how the bucket stands now; null if there is none, because the request lacks a key
   *     that the rule insists on
   * @param leased whether this node has tokens of the bucket in advance, and decides from them
   */
  public record ExpectedCharge(
      Mode mode, String key, long cost, @Nullable Decision before, boolean leased) {}
}
