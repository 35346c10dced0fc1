package io.penstock.server.database;

import java.time.Instant;

/**
 * A row of {@code rate_limit_rule}. Immutable.
 *
 * @param version another one after each change
 */
record RuleRow(long id, long version, Instant updatedAt, RuleContent content) {
  /** How problems call it. */
  String place() {
    return "rate_limit_rule " + id;
  }
}
