package io.penstock.server;

import io.penstock.FailurePolicy;
import io.penstock.policy.Policy;
import io.penstock.policy.load.Location;
import io.penstock.policy.load.Problem;
import java.util.List;

/**
 * Checks rules with {@code on_store_failure: local}, where each node enforces its share of a limit
 * while Redis is unavailable.
 */
final class LocalRules {
  private LocalRules() {}

  /**
   * Returns an error for each of these rules, for use when the number of nodes is not configured.
   */
  static List<Problem> withoutNodes(Policy policy, String origin) {
    return policy.rules().stream()
        .filter(rule -> rule.storeOptions().onFailure() == FailurePolicy.LOCAL)
        .filter(rule -> !rule.limits().isEmpty())
        .map(
            rule ->
                new Problem(
                    Problem.Severity.ERROR,
                    Location.of(origin),
                    "on_store_failure of rule " + rule.name(),
                    "local needs the setting nodes"))
        .toList();
  }
}
