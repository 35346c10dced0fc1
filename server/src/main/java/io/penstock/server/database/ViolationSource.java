package io.penstock.server.database;

import java.util.List;
import java.util.Optional;

/** Denied requests that were recorded. Thread-safe; all methods may block. */
public interface ViolationSource {
  /** Returns violations, the latest first. */
  List<ViolationRepository.StoredViolation> page(
      ViolationFilter filter, Optional<ViolationRepository.Cursor> after, int limit);

  /** Returns the values with the most denied requests, in descending order. */
  List<ViolationRepository.Offender> top(
      ViolationRepository.GroupBy by, ViolationFilter filter, int limit);

  /**
   * Returns the numbers of denied requests over time. Without a start, the period starts with the
   * first of them; without an end, it ends now.
   */
  ViolationHistogram histogram(ViolationFilter filter, int maxBars);
}
