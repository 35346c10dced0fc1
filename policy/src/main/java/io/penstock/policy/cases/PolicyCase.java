package io.penstock.policy.cases;

import io.penstock.policy.load.Location;
import java.util.List;

/**
 * Requests that follow one another, beginning with full buckets. Immutable.
 *
 * @param place where it is written
 */
record PolicyCase(String name, Location place, List<CaseStep> steps) {
  PolicyCase {
    steps = List.copyOf(steps);
  }
}
