package io.penstock.server.database;

import com.fasterxml.jackson.core.JsonGenerator;
import io.penstock.policy.load.Location;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.Problems;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A row of {@code rate_limit_rule} as the history stores it: a JSON object of all columns. */
final class HistoryRow {
  private static final Location AT = Location.of("rate_limit_rule_history");

  private HistoryRow() {}

  /**
   * Writes the row as the rule that a policy file would contain, in the form in which the rule
   * endpoints accept it; null if it can't be expressed as a rule.
   */
  static void writeRule(String row, JsonGenerator json) throws IOException {
    Problems problems = new Problems();
    RuleContent content =
        JsonColumns.parse(row, AT, "before", problems) instanceof Node.Mapping columns
            ? content(columns)
            : null;
    Node.Mapping rule = content == null ? null : RuleDocument.of(content.canonical(), AT, problems);
    if (content == null || rule == null || problems.errorCount() > 0) {
      json.writeNull();
      return;
    }
    json.writeStartObject();
    json.writeNumberField("tier_order", content.tierOrder());
    json.writeBooleanField("active", content.isActive());
    json.writeFieldName("rule");
    JsonColumns.write(rule, json);
    json.writeEndObject();
  }

  private static @Nullable RuleContent content(Node.Mapping columns) {
    Map<RuleColumn, Object> values = new EnumMap<>(RuleColumn.class);
    try {
      for (RuleColumn column : RuleColumn.values()) {
        Node.NodeField field = columns.entries().get(column.name().toLowerCase(Locale.ROOT));
        Object value = field == null ? null : value(column, field.value());
        if (value != null) {
          values.put(column, value);
        }
      }
    } catch (NumberFormatException e) {
      return null;
    }
    return new RuleContent(values);
  }

  private static @Nullable Object value(RuleColumn column, Node node) {
    if (column.type() == RuleColumn.Type.JSON) {
      return isNull(node) ? null : JsonColumns.text(node);
    }
    if (!(node instanceof Node.Scalar scalar) || isNull(node)) {
      return null;
    }
    return switch (column.type()) {
      case NUMBER -> new BigDecimal(scalar.text());
      case WHOLE -> Integer.valueOf(scalar.text());
      case FLAG -> Boolean.valueOf(scalar.text());
      default -> scalar.text();
    };
  }

  private static boolean isNull(Node node) {
    return node instanceof Node.Scalar scalar && scalar.kind() == Node.NodeKind.NULL;
  }
}
