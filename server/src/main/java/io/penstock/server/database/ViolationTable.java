package io.penstock.server.database;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The statements that fill {@code rate_limit_violation} and keep it small. */
final class ViolationTable {
  private static final double MILLIS = 1_000;

  private ViolationTable() {}

  /**
   * Writes a batch, unless this writer has written it before.
   *
   * @param batch larger for each batch of a writer
   */
  static void insert(Connection connection, UUID writer, long batch, List<Violation> violations)
      throws SQLException {
    keepsWhatItCommits(connection);
    if (!begins(connection, writer, batch)) {
      return;
    }
    try (PreparedStatement statement =
        connection.prepareStatement(
            """
            INSERT INTO rate_limit_violation (bucket_key, user_id, ip_address, endpoint,
              requested_at, tokens_at_time, rule_id, rule_name, reason, denied)
            SELECT k, u, a::inet, e, to_timestamp(t), l, r, n, w, d
            FROM unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::float8[], ?::float8[],
              ?::bigint[], ?::text[], ?::text[], ?::bigint[]) AS v(k, u, a, e, t, l, r, n, w, d)
            """)) {
      int i = 0;
      statement.setArray(++i, array(connection, "text", violations, Violation::bucketKey));
      statement.setArray(++i, array(connection, "text", violations, Violation::userId));
      statement.setArray(++i, array(connection, "text", violations, Violation::address));
      statement.setArray(++i, array(connection, "text", violations, Violation::endpoint));
      statement.setArray(
          ++i,
          array(connection, "float8", violations, v -> v.requestedAt().toEpochMilli() / MILLIS));
      statement.setArray(++i, array(connection, "float8", violations, Violation::tokensAtTime));
      statement.setArray(++i, array(connection, "int8", violations, Violation::ruleId));
      statement.setArray(++i, array(connection, "text", violations, Violation::rule));
      statement.setArray(++i, array(connection, "text", violations, Violation::reason));
      statement.setArray(++i, array(connection, "int8", violations, Violation::denied));
      statement.executeUpdate();
    }
  }

  /**
   * What is counted as written must be so even if the server dies at once, however it is set up.
   */
  private static void keepsWhatItCommits(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET LOCAL synchronous_commit TO on");
    }
  }

  private static boolean begins(Connection connection, UUID writer, long batch)
      throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            """
            INSERT INTO rate_limit_violation_writer AS w (writer_id, batch) VALUES (?, ?)
            ON CONFLICT (writer_id) DO UPDATE SET batch = excluded.batch, written_at = now()
            WHERE w.batch < excluded.batch
            """)) {
      statement.setObject(1, writer);
      statement.setLong(2, batch);
      return statement.executeUpdate() == 1;
    }
  }

  private static Array array(
      Connection connection,
      String type,
      List<Violation> violations,
      Function<Violation, @Nullable Object> value)
      throws SQLException {
    return connection.createArrayOf(type, violations.stream().map(value).toArray());
  }

  /** Deletes some rows that are too old; returns how many. */
  static int deleteOlder(Connection connection, int days, int most) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            """
            DELETE FROM rate_limit_violation WHERE violation_id IN (
              SELECT violation_id FROM rate_limit_violation
              WHERE requested_at < now() - make_interval(days => ?)
              ORDER BY requested_at, violation_id LIMIT ?)
            """)) {
      statement.setInt(1, days);
      statement.setInt(2, most);
      return statement.executeUpdate();
    }
  }

  /**
   * Deletes some of the oldest rows if there are more than {@code rows}; returns how many. Numbers
   * that no row has count as rows: to count would be to read the whole table.
   */
  static int deleteBeyond(Connection connection, long rows, int most) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            """
            DELETE FROM rate_limit_violation WHERE violation_id IN (
              SELECT violation_id FROM rate_limit_violation
              WHERE violation_id <= (SELECT max(violation_id) FROM rate_limit_violation) - ?
              ORDER BY violation_id LIMIT ?)
            """)) {
      statement.setLong(1, rows);
      statement.setInt(2, most);
      return statement.executeUpdate();
    }
  }

  /** Forgets processes that have ended long ago. */
  static void deleteWriters(Connection connection) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "DELETE FROM rate_limit_violation_writer WHERE written_at < now() - interval '7 days'")) {
      statement.executeUpdate();
    }
  }

  /** Whether this process alone may clean up, until the end of the transaction. */
  static boolean isAlone(Connection connection) throws SQLException {
    try (PreparedStatement statement =
            connection.prepareStatement(
                "SELECT pg_try_advisory_xact_lock(hashtext('rate_limit_violation'))");
        var result = statement.executeQuery()) {
      return result.next() && result.getBoolean(1);
    }
  }
}
