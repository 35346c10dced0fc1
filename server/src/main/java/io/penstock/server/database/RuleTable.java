package io.penstock.server.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The SQL statements for {@code rate_limit_rule}. */
final class RuleTable {
  private static final String COLUMNS =
      "name, description, key_pattern, scope, plan, match, rate_per_second, rate, burst_capacity,"
          + " cost_source, fixed_cost, default_cost, mode, on_store_failure, tier_order,"
          + " tier_group, options, is_active";
  private static final String SELECT =
      "SELECT rule_id, version, updated_at, " + COLUMNS + " FROM rate_limit_rule ";
  private static final String IN_ORDER = " ORDER BY tier_order, plan IS NULL, rule_id";
  private static final int FETCH_SIZE = 2_000;

  private RuleTable() {}

  /** Returns whether the table exists in the search path of the connection. */
  static boolean exists(Connection connection) throws SQLException {
    try (PreparedStatement statement =
            connection.prepareStatement("SELECT to_regclass('rate_limit_rule') IS NOT NULL");
        ResultSet result = statement.executeQuery()) {
      return result.next() && result.getBoolean(1);
    }
  }

  /** Returns a fingerprint of the table, which practically always differs after a change. */
  static String fingerprint(Connection connection) throws SQLException {
    try (PreparedStatement statement =
            connection.prepareStatement(
                "SELECT count(*) || ' ' || coalesce(sum(version), 0) FROM rate_limit_rule");
        ResultSet result = statement.executeQuery()) {
      result.next();
      return result.getString(1);
    }
  }

  /**
   * Returns all active rows, unordered. Known rows with the same version are not read again, so
   * that a change among very many rules is fast. The connection must not be in auto-commit mode.
   */
  static List<RuleRow> active(Connection connection, Map<Long, RuleRow> known) throws SQLException {
    List<RuleRow> rows = new ArrayList<>();
    List<Long> fresh = new ArrayList<>();
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT rule_id, version FROM rate_limit_rule WHERE is_active")) {
      statement.setFetchSize(FETCH_SIZE);
      try (ResultSet result = statement.executeQuery()) {
        while (result.next()) {
          RuleRow row = known.get(result.getLong(1));
          if (row != null && row.version() == result.getLong(2)) {
            rows.add(row);
          } else {
            fresh.add(result.getLong(1));
          }
        }
      }
    }
    if (!fresh.isEmpty()) {
      try (PreparedStatement statement =
          connection.prepareStatement(SELECT + "WHERE is_active AND rule_id = ANY (?)")) {
        statement.setArray(1, connection.createArrayOf("bigint", fresh.toArray()));
        statement.setFetchSize(FETCH_SIZE);
        rows.addAll(rows(statement));
      }
    }
    return rows;
  }

  /** Returns all rows, in their order. The connection must not be in auto-commit mode. */
  static List<RuleRow> all(Connection connection) throws SQLException {
    return rows(connection, SELECT + IN_ORDER);
  }

  private static List<RuleRow> rows(Connection connection, String query) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(query)) {
      statement.setFetchSize(FETCH_SIZE);
      return rows(statement);
    }
  }

  /** Returns a page of rows by id, starting after {@code after}. */
  static List<RuleRow> page(Connection connection, long after, int limit) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(SELECT + "WHERE rule_id > ? ORDER BY rule_id LIMIT ?")) {
      statement.setLong(1, after);
      statement.setInt(2, limit);
      return rows(statement);
    }
  }

  static Optional<RuleRow> byName(Connection connection, String name) throws SQLException {
    return one(connection, SELECT + "WHERE name = ?", name);
  }

  /** Same as {@link #byName}, but locks the row until the end of the transaction. */
  static Optional<RuleRow> lockedByName(Connection connection, String name) throws SQLException {
    return one(connection, SELECT + "WHERE name = ? FOR UPDATE", name);
  }

  private static Optional<RuleRow> one(Connection connection, String query, String name)
      throws SQLException {
    if (!PostgresText.canBeStored(name)) {
      return Optional.empty();
    }
    try (PreparedStatement statement = connection.prepareStatement(query)) {
      statement.setString(1, name);
      return rows(statement).stream().findFirst();
    }
  }

  static RuleRow insert(Connection connection, RuleContent content) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "INSERT INTO rate_limit_rule ("
                + COLUMNS
                + ") VALUES (?, ?, ?, ?, ?, ?::jsonb, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb, ?)"
                + " RETURNING rule_id, version, updated_at, "
                + COLUMNS)) {
      set(statement, content);
      return rows(statement).get(0);
    }
  }

  static RuleRow update(Connection connection, long id, RuleContent content) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "UPDATE rate_limit_rule SET ("
                + COLUMNS
                + ") = (?, ?, ?, ?, ?, ?::jsonb, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb, ?)"
                + " WHERE rule_id = ? RETURNING rule_id, version, updated_at, "
                + COLUMNS)) {
      int next = set(statement, content);
      statement.setLong(next, id);
      return rows(statement).get(0);
    }
  }

  static void delete(Connection connection, long id) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("DELETE FROM rate_limit_rule WHERE rule_id = ?")) {
      statement.setLong(1, id);
      statement.executeUpdate();
    }
  }

  /** Sets the author of the changes in this transaction, for the history. */
  static void setAuthor(Connection connection, String author) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("SELECT set_config('penstock.changed_by', ?, true)")) {
      statement.setString(1, author);
      statement.execute();
    }
  }

  private static int set(PreparedStatement statement, RuleContent content) throws SQLException {
    int i = 0;
    statement.setString(++i, content.name());
    statement.setString(++i, content.description());
    statement.setString(++i, content.keyPattern());
    statement.setString(++i, content.scope());
    statement.setString(++i, content.plan());
    statement.setString(++i, content.match());
    statement.setObject(++i, content.ratePerSecond(), Types.NUMERIC);
    statement.setString(++i, content.rate());
    statement.setObject(++i, content.burstCapacity(), Types.NUMERIC);
    statement.setString(++i, content.costs().source());
    statement.setObject(++i, content.costs().fixed(), Types.NUMERIC);
    statement.setObject(++i, content.costs().defaultCost(), Types.NUMERIC);
    statement.setString(++i, content.mode());
    statement.setString(++i, content.onStoreFailure());
    statement.setInt(++i, content.tier().order());
    statement.setString(++i, content.tier().group());
    statement.setString(++i, content.options());
    statement.setBoolean(++i, content.active());
    return i + 1;
  }

  private static List<RuleRow> rows(PreparedStatement statement) throws SQLException {
    List<RuleRow> rows = new ArrayList<>();
    try (ResultSet result = statement.executeQuery()) {
      while (result.next()) {
        rows.add(
            new RuleRow(
                result.getLong(1),
                result.getLong(2),
                result.getTimestamp(3).toInstant(),
                content(result)));
      }
    }
    return rows;
  }

  private static RuleContent content(ResultSet result) throws SQLException {
    int i = 3;
    return new RuleContent(
        result.getString(++i),
        result.getString(++i),
        result.getString(++i),
        result.getString(++i),
        result.getString(++i),
        JsonColumns.canonicalMatch(result.getString(++i)),
        result.getBigDecimal(++i),
        result.getString(++i),
        result.getBigDecimal(++i),
        new RuleContent.Costs(
            result.getString(++i), result.getBigDecimal(++i), result.getBigDecimal(++i)),
        result.getString(++i),
        result.getString(++i),
        new RuleContent.TierColumns(result.getInt(++i), result.getString(++i)),
        JsonColumns.canonical(result.getString(++i)),
        result.getBoolean(++i));
  }
}
