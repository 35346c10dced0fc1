package io.penstock.policy.load;

import io.penstock.policy.Policy;
import java.util.List;
import java.util.Map;

/**
 * A policy without errors. Immutable.
 *
 * @param policy the policy
 * @param warnings warnings for the author, ordered by file and line
 * @param locations where each rule is defined, by its name
 */
public record LoadedPolicy(Policy policy, List<Problem> warnings, Map<String, Location> locations) {
  public LoadedPolicy {
    warnings = List.copyOf(warnings);
    locations = Map.copyOf(locations);
  }
}
