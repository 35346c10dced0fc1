package io.penstock.server.database;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A column of {@code rate_limit_rule} that describes a rule. The table, the snapshot and the
 * conversion to the fields of a policy file use this list. Fields without a column are in {@link
 * #OPTIONS}.
 */
enum RuleColumn {
  NAME("name", Type.TEXT, null),
  DESCRIPTION("description", Type.TEXT, null),
  /** The keys and, for an endpoint, the path of the match. */
  KEY_PATTERN("limit_keys", Type.TEXT, null),
  /** The plan of the match. */
  PLAN(null, Type.TEXT, null),
  MATCH("match", Type.JSON, JsonColumns.EMPTY),
  TIER_GROUP("group", Type.TEXT, null),
  SCOPE("scope", Type.TEXT, null),
  RATE_PER_SECOND(null, Type.NUMBER, null),
  RATE("rate", Type.TEXT, null),
  BURST_CAPACITY("burst", Type.NUMBER, null),
  COST_SOURCE("cost_source", Type.TEXT, null),
  FIXED_COST("fixed_cost", Type.NUMBER, null),
  DEFAULT_COST("default_cost", Type.NUMBER, null),
  MODE("mode", Type.TEXT, "enforce"),
  ON_STORE_FAILURE("on_store_failure", Type.TEXT, "local"),
  TIER_ORDER(null, Type.WHOLE, 0),
  OPTIONS(null, Type.JSON, JsonColumns.EMPTY),
  IS_ACTIVE(null, Type.FLAG, true);

  /** The type of a column. */
  enum Type {
    TEXT,
    NUMBER,
    WHOLE,
    FLAG,
    JSON
  }

  private final @Nullable String field;
  private final Type type;

  @SuppressWarnings("ImmutableEnumChecker") // Strings, numbers and booleans.
  private final @Nullable Object defaultValue;

  RuleColumn(@Nullable String field, Type type, @Nullable Object defaultValue) {
    this.field = field;
    this.type = type;
    this.defaultValue = defaultValue;
  }

  /** Returns the name of the column. */
  String column() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the field of a policy file that the column stores; null if it is a part of one. */
  @Nullable String field() {
    return field;
  }

  Type type() {
    return type;
  }

  /** Returns the value that the database sets if there is none; null for NULL. */
  @Nullable Object defaultValue() {
    return defaultValue;
  }
}
