package io.penstock.server.database;

import java.time.Instant;

/**
 * A row of {@code rate_limit_rule}. Immutable.
 *
 * @param version differs after each change
 */
record RuleRow(long id, long version, Instant updatedAt, RuleContent content) {
  /** Returns the name of the row in error messages. */
  String place() {
    return "rate_limit_rule " + id;
  }
}
