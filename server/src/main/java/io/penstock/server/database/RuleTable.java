package io.penstock.server.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The SQL statements for {@code rate_limit_rule}. */
final class RuleTable {
  private static final String COLUMNS =
      Arrays.stream(RuleColumn.values()).map(RuleColumn::column).collect(Collectors.joining(", "));
  private static final String PLACEHOLDERS =
      Arrays.stream(RuleColumn.values())
          .map(column -> column.type() == RuleColumn.Type.JSON ? "?::jsonb" : "?")
          .collect(Collectors.joining(", "));
  private static final String SELECT =
      "SELECT rule_id, version, updated_at, " + COLUMNS + " FROM rate_limit_rule ";
  private static final String IN_ORDER = " ORDER BY tier_order, plan IS NULL, rule_id";
  private static final int FETCH_SIZE = 2_000;

  /** The position of the first column of the content in a result. */
  private static final int FIRST_COLUMN = 4;

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
  static List<StoredRule> active(Connection connection, Map<Long, StoredRule> known)
      throws SQLException {
    List<StoredRule> rows = new ArrayList<>();
    List<Long> fresh = new ArrayList<>();
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT rule_id, version FROM rate_limit_rule WHERE is_active")) {
      statement.setFetchSize(FETCH_SIZE);
      try (ResultSet result = statement.executeQuery()) {
        while (result.next()) {
          StoredRule row = known.get(result.getLong(1));
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
  static List<StoredRule> all(Connection connection) throws SQLException {
    return rows(connection, SELECT + IN_ORDER);
  }

  private static List<StoredRule> rows(Connection connection, String query) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(query)) {
      statement.setFetchSize(FETCH_SIZE);
      return rows(statement);
    }
  }

  /** Returns a page of rows by id, starting after {@code after}. */
  static List<StoredRule> page(Connection connection, long after, int limit) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(SELECT + "WHERE rule_id > ? ORDER BY rule_id LIMIT ?")) {
      statement.setLong(1, after);
      statement.setInt(2, limit);
      return rows(statement);
    }
  }

  static Optional<StoredRule> byName(Connection connection, String name) throws SQLException {
    return one(connection, SELECT + "WHERE name = ?", name);
  }

  /** Same as {@link #byName}, but locks the row until the end of the transaction. */
  static Optional<StoredRule> lockedByName(Connection connection, String name) throws SQLException {
    return one(connection, SELECT + "WHERE name = ? FOR UPDATE", name);
  }

  private static Optional<StoredRule> one(Connection connection, String query, String name)
      throws SQLException {
    if (!PostgresText.canBeStored(name)) {
      return Optional.empty();
    }
    try (PreparedStatement statement = connection.prepareStatement(query)) {
      statement.setString(1, name);
      return rows(statement).stream().findFirst();
    }
  }

  static StoredRule insert(Connection connection, RuleContent content) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "INSERT INTO rate_limit_rule ("
                + COLUMNS
                + ") VALUES ("
                + PLACEHOLDERS
                + ") RETURNING rule_id, version, updated_at, "
                + COLUMNS)) {
      set(statement, content);
      return rows(statement).get(0);
    }
  }

  static StoredRule update(Connection connection, long id, RuleContent content)
      throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "UPDATE rate_limit_rule SET ("
                + COLUMNS
                + ") = ("
                + PLACEHOLDERS
                + ") WHERE rule_id = ? RETURNING rule_id, version, updated_at, "
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
    int i = 1;
    for (RuleColumn column : RuleColumn.values()) {
      Object value = content.get(column);
      switch (column.type()) {
        case TEXT, JSON -> statement.setString(i, (String) value);
        case NUMBER -> statement.setObject(i, value, Types.NUMERIC);
        case WHOLE -> statement.setObject(i, value, Types.INTEGER);
        case FLAG -> statement.setObject(i, value, Types.BOOLEAN);
      }
      i++;
    }
    return i;
  }

  private static List<StoredRule> rows(PreparedStatement statement) throws SQLException {
    List<StoredRule> rows = new ArrayList<>();
    try (ResultSet result = statement.executeQuery()) {
      while (result.next()) {
        rows.add(
            new StoredRule(
                result.getLong(1),
                result.getLong(2),
                result.getTimestamp(3).toInstant(),
                content(result)));
      }
    }
    return rows;
  }

  private static RuleContent content(ResultSet result) throws SQLException {
    Map<RuleColumn, Object> values = new EnumMap<>(RuleColumn.class);
    int i = FIRST_COLUMN;
    for (RuleColumn column : RuleColumn.values()) {
      Object value =
          switch (column.type()) {
            case TEXT, JSON -> result.getString(i);
            case NUMBER -> result.getBigDecimal(i);
            case WHOLE -> result.getInt(i);
            case FLAG -> result.getBoolean(i);
          };
      if (value != null) {
        values.put(column, value);
      }
      i++;
    }
    return new RuleContent(values);
  }
}
