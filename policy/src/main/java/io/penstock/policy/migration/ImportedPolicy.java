package io.penstock.policy.migration;

import io.penstock.policy.load.Problem;
import java.util.List;

/**
 * A policy that is equivalent to a configuration of another rate limiter. Immutable.
 *
 * @param policy the text of the policy, in YAML
 * @param problems what has no equivalent
 */
public record ImportedPolicy(String policy, List<Problem> problems) {
  public ImportedPolicy {
    problems = List.copyOf(problems);
  }
}
