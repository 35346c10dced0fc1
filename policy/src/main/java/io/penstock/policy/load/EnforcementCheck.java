package io.penstock.policy.load;

import io.penstock.policy.Mode;
import io.penstock.policy.Rule;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Warns of policies that enforce no rule. Shadow rules are a step of a rollout, and manual rules
 * are enforced by applications, so a policy that has some of them is not reported.
 */
final class EnforcementCheck {
  private EnforcementCheck() {}

  /**
   * @param modeAt where the mode of the policy is set; null if it isn't
   */
  static void check(
      List<Located<Rule>> rules, Mode mode, @Nullable Location modeAt, Problems problems) {
    if (mode == Mode.OFF && modeAt != null) {
      problems.warning(
          modeAt,
          "mode",
          "no rule is enforced: the policy has mode: off; remove it, or use mode: shadow to evaluate"
              + " rules without denying requests");
      return;
    }
    Set<String> reasons = new LinkedHashSet<>();
    for (Located<Rule> rule : rules) {
      String reason = reason(rule.value());
      if (reason == null) {
        return;
      }
      reasons.add(reason);
    }
    if (!reasons.isEmpty()) {
      Located<Rule> first = rules.get(0);
      problems.warning(
          first.at(),
          first.path().isEmpty() ? "" : "rules",
          "no rule is enforced: every rule has " + String.join(" or ", reasons));
    }
  }

  /** Returns why a rule limits no request; null if it may. */
  private static @Nullable String reason(Rule rule) {
    if (rule.rollout().mode() == Mode.OFF) {
      return "mode: off";
    }
    if (rule.isUnlimited()) {
      return "unlimited: true";
    }
    return rule.rollout().enforcePercent() == 0 ? "enforce_percent: 0" : null;
  }
}
