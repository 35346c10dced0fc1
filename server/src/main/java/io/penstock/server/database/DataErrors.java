package io.penstock.server.database;

import io.penstock.policy.load.Location;
import io.penstock.policy.load.Problem;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** Maps data errors of PostgreSQL to errors of a rule. */
final class DataErrors {
  private DataErrors() {}

  /**
   * Returns the rejection of a draft that violates a constraint or doesn't fit a column.
   *
   * @throws SQLException if the cause is another error
   */
  static RuleRejectedException rejected(SQLException e, @Nullable RuleDraft draft)
      throws SQLException {
    String state = e.getSQLState();
    if (state == null || !(state.startsWith("22") || state.startsWith("23"))) {
      throw e;
    }
    Location at = draft == null ? RuleRepository.NOWHERE : draft.rule().at();
    String path = draft == null ? "" : draft.rule().path();
    return new RuleRejectedException(
        List.of(new Problem(Problem.Severity.ERROR, at, path, message(e))));
  }

  private static String message(SQLException e) {
    ServerErrorMessage server =
        e instanceof PSQLException psql ? psql.getServerErrorMessage() : null;
    if (server == null) {
      return "cannot be stored";
    }
    String constraint = server.getConstraint();
    if ("rate_limit_rule_is_not_a_duplicate".equals(constraint)) {
      return "must not have the same keys, plan and match as another rule";
    }
    if (constraint != null && !constraint.isEmpty()) {
      return "violates a database constraint: " + constraint.replace('_', ' ');
    }
    return "cannot be stored: " + server.getMessage();
  }
}
