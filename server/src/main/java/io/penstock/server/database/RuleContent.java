package io.penstock.server.database;

import java.math.BigDecimal;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The content of a row of {@code rate_limit_rule}, without the columns that the database sets.
 * Immutable.
 *
 * @param values the values of columns that are not NULL: a string for text and JSON, a {@link
 *     BigDecimal}, an {@link Integer} or a {@link Boolean}
 */
record RuleContent(Map<RuleColumn, Object> values) {
  RuleContent {
    EnumMap<RuleColumn, Object> copy = new EnumMap<>(RuleColumn.class);
    values.forEach((column, value) -> put(copy, column, value));
    values = copy;
  }

  private static void put(Map<RuleColumn, Object> values, RuleColumn column, Object value) {
    if (value instanceof BigDecimal number) {
      // 10 and 10.000 are equal.
      values.put(column, new BigDecimal(JsonColumns.plain(number)));
    } else if (column != RuleColumn.DESCRIPTION || !value.equals("")) {
      values.put(column, value);
    }
  }

  @Nullable Object get(RuleColumn column) {
    return values.get(column);
  }

  /** Returns the text or JSON of a column; null for NULL. */
  @Nullable String text(RuleColumn column) {
    return (String) values.get(column);
  }

  @Nullable BigDecimal number(RuleColumn column) {
    return (BigDecimal) values.get(column);
  }

  String name() {
    return String.valueOf(text(RuleColumn.NAME));
  }

  int tierOrder() {
    return (Integer) valueOrDefault(RuleColumn.TIER_ORDER);
  }

  boolean isActive() {
    return (Boolean) valueOrDefault(RuleColumn.IS_ACTIVE);
  }

  private Object valueOrDefault(RuleColumn column) {
    Object value = values.get(column);
    return value == null ? Objects.requireNonNull(column.defaultValue()) : value;
  }

  /** Returns a copy with another value. */
  RuleContent with(RuleColumn column, Object value) {
    Map<RuleColumn, Object> changed = new EnumMap<>(values);
    changed.put(column, value);
    return new RuleContent(changed);
  }

  /** Returns the content with JSON in a canonical form, which is equal for equal meaning. */
  RuleContent canonical() {
    Map<RuleColumn, Object> canonical = new EnumMap<>(values);
    canonical.computeIfPresent(
        RuleColumn.MATCH, (column, json) -> JsonColumns.canonicalMatch((String) json));
    canonical.computeIfPresent(
        RuleColumn.OPTIONS, (column, json) -> JsonColumns.canonical((String) json));
    return new RuleContent(canonical);
  }
}
