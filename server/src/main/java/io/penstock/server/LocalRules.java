package io.penstock.server;

import io.penstock.FailurePolicy;
import io.penstock.policy.Policy;
import io.penstock.policy.load.Location;
import io.penstock.policy.load.Problem;
import java.util.List;

/** Rules that are decided by each node alone while Redis is away, each by its share. */
final class LocalRules {
  private LocalRules() {}

  /** What is wrong with a policy where nobody has said how many nodes there are. */
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
