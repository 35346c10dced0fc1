package io.penstock.policy.load;

import io.penstock.policy.Policy;
import java.util.List;

/**
 * A policy that can be used. Immutable.
 *
 * @param policy the policy
 * @param warnings what its author should know, in the order of files and lines
 */
public record LoadedPolicy(Policy policy, List<Problem> warnings) {
  public LoadedPolicy {
    warnings = List.copyOf(warnings);
  }
}
