package io.penstock.server.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Queries violations. Thread-safe; all methods block. */
public final class ViolationRepository implements ViolationSource {
  private final Database database;

  ViolationRepository(Database database) {
    this.database = database;
  }

  /** A row of the table. */
  public record StoredViolation(long id, Violation violation) {
    /** Returns the cursor for the page after this row. */
    public Cursor cursor() {
      return new Cursor(violation.requestedAt(), id);
    }
  }

  /** A position in the list of violations, which is stable when rows are added. Immutable. */
  public record Cursor(Instant at, long id) {
    private static final Pattern FORM = Pattern.compile("(\\d{1,12})\\.(\\d{6})-(\\d{1,18})");

    /** Parses the format of {@link #toString}; returns empty if it is malformed. */
    public static Optional<Cursor> parse(String text) {
      Matcher parts = FORM.matcher(text);
      return parts.matches()
          ? Optional.of(
              new Cursor(
                  Instant.ofEpochSecond(
                      Long.parseLong(parts.group(1)), Long.parseLong(parts.group(2)) * 1_000),
                  Long.parseLong(parts.group(3))))
          : Optional.empty();
    }

    @Override
    public String toString() {
      return "%d.%06d-%d".formatted(at.getEpochSecond(), at.getNano() / 1_000, id);
    }
  }

  /** What violations are grouped by. */
  public enum GroupBy {
    USER("user_id"),
    ADDRESS("ip_address"),
    RULE("rule_name"),
    ENDPOINT("endpoint"),
    KEY("bucket_key");

    private final String column;

    /** Returns the value of a violation. */
    @Nullable String of(Violation violation) {
      return switch (this) {
        case USER -> violation.userId();
        case ADDRESS -> violation.address();
        case RULE -> violation.rule();
        case ENDPOINT -> violation.endpoint();
        case KEY -> violation.bucketKey();
      };
    }

    GroupBy(String column) {
      this.column = column;
    }
  }

  /** A value and the number of its denied requests. */
  public record Offender(@Nullable String value, long denied) {}

  @Override
  public List<StoredViolation> page(ViolationFilter filter, Optional<Cursor> after, int limit) {
    WhereClause conditions = new WhereClause(filter);
    after.ifPresent(
        cursor ->
            conditions.add(
                "(requested_at, violation_id) < (?, ?)", Timestamp.from(cursor.at()), cursor.id()));
    return database.transaction(
        connection -> {
          try (PreparedStatement statement =
              conditions.prepare(
                  connection,
                  "SELECT violation_id, bucket_key, user_id, host(ip_address), endpoint,"
                      + " requested_at, tokens_at_time, rule_id, rule_name, reason, denied"
                      + " FROM rate_limit_violation",
                  " ORDER BY requested_at DESC, violation_id DESC LIMIT ?",
                  limit)) {
            return rows(statement);
          }
        });
  }

  @Override
  public List<Offender> top(GroupBy by, ViolationFilter filter, int limit) {
    WhereClause conditions = new WhereClause(filter);
    String shown = by == GroupBy.ADDRESS ? "host(ip_address)" : by.column;
    return database.transaction(
        connection -> {
          try (PreparedStatement statement =
              conditions.prepare(
                  connection,
                  "SELECT " + shown + ", sum(denied) AS total FROM rate_limit_violation",
                  " GROUP BY " + by.column + " ORDER BY total DESC, " + by.column + " LIMIT ?",
                  limit)) {
            return offenders(statement);
          }
        });
  }

  @Override
  public ViolationHistogram histogram(ViolationFilter filter, int maxBars) {
    return database.transaction(
        connection -> {
          Instant end = filter.to() == null ? Instant.now() : filter.to();
          Instant start = filter.from() == null ? first(connection, filter, end) : filter.from();
          return histogram(
              connection, filter.within(start, end), ViolationHistogram.empty(start, end, maxBars));
        });
  }

  /** Returns the time of the first violation. */
  private static Instant first(Connection connection, ViolationFilter filter, Instant otherwise)
      throws SQLException {
    try (PreparedStatement statement =
            new WhereClause(filter)
                .prepare(
                    connection,
                    "SELECT requested_at FROM rate_limit_violation",
                    " ORDER BY requested_at, violation_id LIMIT ?",
                    1);
        ResultSet result = statement.executeQuery()) {
      return result.next() ? result.getTimestamp(1).toInstant() : otherwise;
    }
  }

  private static ViolationHistogram histogram(
      Connection connection, ViolationFilter filter, ViolationHistogram empty) throws SQLException {
    long[] denied = new long[empty.denied().size()];
    WhereClause conditions = new WhereClause(filter);
    conditions.addFirst(Timestamp.from(empty.start()), empty.stepSeconds());
    try (PreparedStatement statement =
            conditions.prepare(
                connection,
                "SELECT floor(extract(epoch FROM requested_at - ?::timestamptz) / ?)::bigint,"
                    + " sum(denied) FROM rate_limit_violation",
                " GROUP BY 1 LIMIT ?",
                denied.length + 1);
        ResultSet result = statement.executeQuery()) {
      while (result.next()) {
        long bar = result.getLong(1);
        if (bar >= 0 && bar < denied.length) {
          denied[(int) bar] += result.getLong(2);
        }
      }
    }
    return empty.with(denied);
  }

  private static List<StoredViolation> rows(PreparedStatement statement) throws SQLException {
    List<StoredViolation> rows = new ArrayList<>();
    try (ResultSet result = statement.executeQuery()) {
      while (result.next()) {
        rows.add(
            new StoredViolation(
                result.getLong(1),
                new Violation(
                    result.getString(2),
                    result.getString(3),
                    result.getString(4),
                    result.getString(5),
                    result.getTimestamp(6).toInstant(),
                    result.getDouble(7),
                    result.getObject(8, Long.class),
                    result.getString(9),
                    result.getString(10),
                    result.getLong(11))));
      }
    }
    return rows;
  }

  private static List<Offender> offenders(PreparedStatement statement) throws SQLException {
    List<Offender> offenders = new ArrayList<>();
    try (ResultSet result = statement.executeQuery()) {
      while (result.next()) {
        offenders.add(new Offender(result.getString(1), result.getLong(2)));
      }
    }
    return offenders;
  }

  /** A WHERE clause whose values are always passed as parameters. */
  private static final class WhereClause {
    private final List<String> clauses = new ArrayList<>();
    private final List<Object> values = new ArrayList<>();

    WhereClause(ViolationFilter filter) {
      add(filter.isShadow() ? "reason = ?" : "reason <> ?", Violation.SHADOW);
      addIfGiven("user_id = ?", filter.user());
      addIfGiven(
          filter.address() != null && filter.address().indexOf('/') >= 0
              ? "ip_address <<= ?::inet"
              : "ip_address = ?::inet",
          filter.address());
      addIfGiven("rule_name = ?", filter.rule());
      addIfGiven("bucket_key = ?", filter.key());
      addIfGiven("endpoint = ?", filter.endpoint());
      addIfGiven("requested_at >= ?", filter.from() == null ? null : Timestamp.from(filter.from()));
      addIfGiven("requested_at < ?", filter.to() == null ? null : Timestamp.from(filter.to()));
    }

    private void addIfGiven(String clause, @Nullable Object value) {
      if (value != null) {
        add(clause, value);
      }
    }

    /** Adds the values of parameters before the clauses. */
    void addFirst(Object... parameters) {
      values.addAll(0, List.of(parameters));
    }

    void add(String clause, Object... parameters) {
      clauses.add(clause);
      values.addAll(List.of(parameters));
    }

    PreparedStatement prepare(Connection connection, String from, String rest, int limit)
        throws SQLException {
      String where = clauses.isEmpty() ? "" : " WHERE " + String.join(" AND ", clauses);
      PreparedStatement statement = connection.prepareStatement(from + where + rest);
      for (int i = 0; i < values.size(); i++) {
        statement.setObject(i + 1, values.get(i));
      }
      statement.setInt(values.size() + 1, limit);
      return statement;
    }
  }
}
