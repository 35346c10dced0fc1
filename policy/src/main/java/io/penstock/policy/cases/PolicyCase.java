package io.penstock.policy.cases;

import io.penstock.policy.load.Location;
import java.util.List;

/**
 * A sequence of requests that starts with full buckets. Immutable.
 *
 * @param location the location of the case
 */
record PolicyCase(String name, Location location, List<CaseStep> steps) {
  PolicyCase {
    steps = List.copyOf(steps);
  }
}
