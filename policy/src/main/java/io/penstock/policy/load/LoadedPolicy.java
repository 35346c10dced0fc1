package io.penstock.policy.load;

import io.penstock.policy.Policy;
import java.util.List;

/**
 * A policy without errors. Immutable.
 *
 * @param policy the policy
 * @param warnings warnings for the author, ordered by file and line
 */
public record LoadedPolicy(Policy policy, List<Problem> warnings) {
  public LoadedPolicy {
    warnings = List.copyOf(warnings);
  }
}
