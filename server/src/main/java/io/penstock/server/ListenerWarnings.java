package io.penstock.server;

import io.penstock.policy.Policy;
import io.penstock.policy.UnsuppliedRule;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds the rules that can't apply to the requests that a listener receives, because nothing
 * supplies their attributes there, and policies that deny no request at any listener.
 */
final class ListenerWarnings {
  private static final String ADVICE = "; map it to a header or claim under attributes";

  private ListenerWarnings() {}

  /**
   * Returns a line for each listener and rule. The decision listener is used by callers that supply
   * attributes and by proxies that don't, so names that the policy declares are not reported for
   * it.
   *
   * @param hasProxy whether there is a proxy listener
   * @param hasEnvoy whether there is a listener for Envoy
   */
  static List<String> of(Policy policy, boolean hasProxy, boolean hasEnvoy) {
    List<String> warnings = new ArrayList<>();
    policy.whyNothingIsDenied().map(why -> "all listeners: " + why).ifPresent(warnings::add);
    for (UnsuppliedRule rule : UnsuppliedRule.in(policy)) {
      if (!rule.missing().stream().allMatch(policy.attributes()::declares)) {
        warnings.add("decision listener, /v1/forward-auth: " + rule + ADVICE);
      }
      if (hasProxy) {
        warnings.add("proxy listener: " + rule + ADVICE);
      }
      if (hasEnvoy) {
        warnings.add("Envoy listener, ext_authz: " + rule + ADVICE);
      }
    }
    return warnings;
  }
}
