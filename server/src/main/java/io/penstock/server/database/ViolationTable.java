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

/** The SQL statements that insert into and delete from {@code rate_limit_violation}. */
final class ViolationTable {
  private static final double MILLIS_PER_SECOND = 1_000;

  private ViolationTable() {}

  /**
   * Inserts a batch, unless this writer has inserted it before.
   *
   * @param batch a number that increases with each batch of a writer
   */
  static void insert(Connection connection, UUID writer, long batch, List<Violation> violations)
      throws SQLException {
    enableSynchronousCommit(connection);
    if (!recordBatch(connection, writer, batch)) {
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
          array(
              connection,
              "float8",
              violations,
              v -> v.requestedAt().toEpochMilli() / MILLIS_PER_SECOND));
      statement.setArray(++i, array(connection, "float8", violations, Violation::tokensAtTime));
      statement.setArray(++i, array(connection, "int8", violations, Violation::ruleId));
      statement.setArray(++i, array(connection, "text", violations, Violation::rule));
      statement.setArray(++i, array(connection, "text", violations, Violation::reason));
      statement.setArray(++i, array(connection, "int8", violations, Violation::denied));
      statement.executeUpdate();
    }
  }

  /**
   * Makes the commit durable before it returns, whatever the default of the server is: a batch that
   * counts as written must survive a crash.
   */
  private static void enableSynchronousCommit(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET LOCAL synchronous_commit TO on");
    }
  }

  private static boolean recordBatch(Connection connection, UUID writer, long batch)
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

  /** Deletes some rows that are too old; returns their number. */
  static int deleteOlder(Connection connection, int days, int limit) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            """
            DELETE FROM rate_limit_violation WHERE violation_id IN (
              SELECT violation_id FROM rate_limit_violation
              WHERE requested_at < now() - make_interval(days => ?)
              ORDER BY requested_at, violation_id LIMIT ?)
            """)) {
      statement.setInt(1, days);
      statement.setInt(2, limit);
      return statement.executeUpdate();
    }
  }

  /**
   * Deletes some of the oldest rows if there are more than {@code rows}; returns their number. Gaps
   * between ids count as rows, because an exact count would have to read the whole table.
   */
  static int deleteBeyond(Connection connection, long rows, int limit) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            """
            DELETE FROM rate_limit_violation WHERE violation_id IN (
              SELECT violation_id FROM rate_limit_violation
              WHERE violation_id <= (SELECT max(violation_id) FROM rate_limit_violation) - ?
              ORDER BY violation_id LIMIT ?)
            """)) {
      statement.setLong(1, rows);
      statement.setInt(2, limit);
      return statement.executeUpdate();
    }
  }

  /** Deletes the records of processes that ended long ago. */
  static void deleteWriters(Connection connection) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "DELETE FROM rate_limit_violation_writer WHERE written_at < now() - interval '7 days'")) {
      statement.executeUpdate();
    }
  }

  /** Tries to acquire the cleanup lock until the end of the transaction. */
  static boolean tryLock(Connection connection) throws SQLException {
    try (PreparedStatement statement =
            connection.prepareStatement(
                "SELECT pg_try_advisory_xact_lock(hashtext('rate_limit_violation'))");
        var result = statement.executeQuery()) {
      return result.next() && result.getBoolean(1);
    }
  }
}
