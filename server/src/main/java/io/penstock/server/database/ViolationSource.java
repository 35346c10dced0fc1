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
}
