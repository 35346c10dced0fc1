package io.penstock.server;

import io.penstock.policy.Policy;
import io.penstock.policy.UnsuppliedRule;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds the rules that can't apply to the requests that a listener receives: because nothing
 * supplies their attributes there, or because all rules are manual.
 */
final class ListenerWarnings {
  private static final String ADVICE = "; map it to a header or claim under attributes";

  private static final String ONLY_MANUAL =
      "no listener limits any request: every rule is manual, and only applications evaluate manual"
          + " rules; remove manual: true";

  private ListenerWarnings() {}

  /**
   * Returns a line for each listener and rule. The decision listener is used by callers that supply
   * attributes and by proxies that don't, so names that the policy declares are not reported for
   * it.
   *
   * @param hasProxy whether there is a proxy listener
   */
  static List<String> of(Policy policy, boolean hasProxy) {
    List<String> warnings = new ArrayList<>();
    if (policy.hasOnlyManualRules()) {
      warnings.add(ONLY_MANUAL);
    }
    for (UnsuppliedRule rule : UnsuppliedRule.in(policy)) {
      if (!rule.missing().stream().allMatch(policy.attributes()::declares)) {
        warnings.add("decision listener, /v1/forward-auth: " + rule + ADVICE);
      }
      if (hasProxy) {
        warnings.add("proxy listener: " + rule + ADVICE);
      }
    }
    return warnings;
  }
}
