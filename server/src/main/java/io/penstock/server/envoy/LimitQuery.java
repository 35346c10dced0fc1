package io.penstock.server.envoy;

import java.util.List;

/**
 * A request of Envoy, whatever protocol it came by.
 *
 * @param hits the hits that the request states for all descriptors; 0 if it states none
 */
record LimitQuery(String domain, long hits, List<DescriptorQuery> descriptors) {
  static final int MAX_DESCRIPTORS = 100;
  static final int MAX_ENTRIES = 50;

  /**
   * @throws InvalidQueryException if it can't be decided
   */
  LimitQuery {
    descriptors = List.copyOf(descriptors);
    if (domain.isEmpty()) {
      throw new InvalidQueryException("domain must not be empty");
    }
    if (descriptors.isEmpty()) {
      throw new InvalidQueryException("descriptors must not be empty");
    }
    checkCount("descriptors", descriptors.size(), MAX_DESCRIPTORS);
    for (DescriptorQuery descriptor : descriptors) {
      checkCount("entries", descriptor.entries().size(), MAX_ENTRIES);
    }
  }

  /** Checks a count before its elements are converted. */
  static void checkCount(String name, int count, int max) {
    if (count > max) {
      throw new InvalidQueryException(name + " must be at most " + max + ": " + count);
    }
  }
}
