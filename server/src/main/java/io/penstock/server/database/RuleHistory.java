package io.penstock.server.database;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The history of rule changes. Thread-safe; all methods block. */
public final class RuleHistory {
  private final Database database;

  RuleHistory(Database database) {
    this.database = database;
  }

  /**
   * A change of a rule. Immutable.
   *
   * @param before the row as JSON; null for a new rule
   * @param after the row as JSON; null for a deleted rule
   */
  public record RuleRevision(
      long id,
      String rule,
      Instant at,
      String by,
      String action,
      @Nullable String before,
      @Nullable String after) {

    public void write(JsonGenerator json) throws IOException {
      json.writeStartObject();
      json.writeNumberField("id", id);
      json.writeStringField("rule", rule);
      json.writeStringField("changed_at", at.toString());
      json.writeStringField("changed_by", by);
      json.writeStringField("action", action);
      raw("before", before, json);
      raw("after", after, json);
      json.writeFieldName("rule_before");
      if (before == null) {
        json.writeNull();
      } else {
        HistoryRow.writeRule(before, json);
      }
      json.writeEndObject();
    }

    private static void raw(String name, @Nullable String row, JsonGenerator json)
        throws IOException {
      json.writeFieldName(name);
      if (row == null) {
        json.writeNull();
      } else {
        json.writeRawValue(row);
      }
    }
  }

  /**
   * Returns changes, the latest first.
   *
   * @param rule the name of a rule; null for all
   * @param before returns only changes with smaller ids
   */
  public List<RuleRevision> page(@Nullable String rule, long before, int limit) {
    return database.transaction(
        connection -> {
          try (PreparedStatement statement =
              connection.prepareStatement(
                  """
                  SELECT history_id, name, changed_at, changed_by, action, before, after
                  FROM rate_limit_rule_history
                  WHERE (?::text IS NULL OR name = ?) AND history_id < ?
                  ORDER BY history_id DESC LIMIT ?
                  """)) {
            statement.setString(1, rule);
            statement.setString(2, rule);
            statement.setLong(3, before);
            statement.setInt(4, limit);
            return entries(statement);
          }
        });
  }

  private static List<RuleRevision> entries(PreparedStatement statement) throws SQLException {
    List<RuleRevision> entries = new ArrayList<>();
    try (ResultSet result = statement.executeQuery()) {
      while (result.next()) {
        entries.add(
            new RuleRevision(
                result.getLong(1),
                result.getString(2),
                result.getTimestamp(3).toInstant(),
                result.getString(4),
                result.getString(5),
                result.getString(6),
                result.getString(7)));
      }
    }
    return entries;
  }
}
