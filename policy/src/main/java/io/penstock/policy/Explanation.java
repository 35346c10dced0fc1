package io.penstock.policy;

import io.penstock.Decision;
import io.penstock.policy.jwt.TokenCheck;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a policy arrives at its verdict on a request. Nothing is charged for it. Immutable.
 *
 * @param verdict the verdict that the request would get now
 * @param findings one for each rule of the policy, in policy order
 * @param token the result of verifying the token of the request
 */
public record Explanation(Verdict verdict, List<Finding> findings, TokenCheck.Result token) {
  public Explanation {
    findings = List.copyOf(findings);
  }

  /**
   * The result for one rule.
   *
   * @param rule the rule
   * @param applies whether the rule applies to the request
   * @param why why the rule applies or doesn't apply, in one line
   * @param charge the expected charge, if the rule applies and isn't unlimited
   * @param outcome the expected outcome, if the rule applies and is evaluated. Shadow rules are not
   *     evaluated if the request is denied. If rules deny the request because of a missing key,
   *     only those rules are evaluated.
   */
  public record Finding(
      Rule rule,
      boolean applies,
      String why,
      @Nullable ExpectedCharge charge,
      @Nullable Outcome outcome) {}

  /**
   * What a rule would charge, and to which bucket.
   *
   * @param mode whether the rule is enforced for this request
   * @param key the bucket within the rule's group, with private values hashed; empty if all
   *     requests share one bucket or if there is no bucket
   * @param costThousandths the cost in thousandths of a token
   * @param before the current state of the bucket; null if there is no bucket because the request
   *     lacks a key that the rule requires
   * @param leased whether this node holds leased tokens of the bucket and decides from them
   */
  public record ExpectedCharge(
      Mode mode, String key, long costThousandths, @Nullable Decision before, boolean leased) {}
}
