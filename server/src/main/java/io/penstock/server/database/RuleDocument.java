package io.penstock.server.database;

import io.penstock.policy.load.Location;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.Problems;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Converts a row to the rule that a policy file would contain, so that the same loader validates
 * both. Default values are omitted. {@link RuleColumns} is the inverse.
 */
final class RuleDocument {
  private final RuleContent row;
  private final Location at;
  private final Problems problems;
  private final Map<String, Node.NodeField> fields = new LinkedHashMap<>();

  private RuleDocument(RuleContent row, Location at, Problems problems) {
    this.row = row;
    this.at = at;
    this.problems = problems;
  }

  /**
   * Returns the rule of {@code row}; adds an error at {@code at} for values that can't be expressed
   * as a rule.
   */
  static Node.Mapping of(RuleContent row, Location at, Problems problems) {
    RuleDocument document = new RuleDocument(row, at, problems);
    for (RuleColumn column : RuleColumn.values()) {
      document.add(column);
    }
    return new Node.Mapping(at, document.fields);
  }

  private void add(RuleColumn column) {
    Object value = row.get(column);
    if (value == null || (value.equals(column.defaultValue()) && column != RuleColumn.MATCH)) {
      return;
    }
    switch (column) {
      case KEY_PATTERN -> addKeysAndMatch((String) value);
      case RATE_PER_SECOND -> put("rate", text(((BigDecimal) value).toPlainString() + "/s"));
      case OPTIONS -> {
        if (JsonColumns.parse((String) value, at, "options", problems)
            instanceof Node.Mapping options) {
          fields.putAll(options.entries());
        }
      }
      case MATCH, PLAN, TIER_ORDER, IS_ACTIVE -> {}
      default -> put(String.valueOf(column.field()), scalar(value));
    }
  }

  private void addKeysAndMatch(String keyPattern) {
    KeyPattern pattern;
    try {
      pattern = KeyPattern.parse(keyPattern);
    } catch (IllegalArgumentException e) {
      problems.error(at, "key_pattern", String.valueOf(e.getMessage()));
      pattern = new KeyPattern(List.of(), null);
    }
    put("limit_keys", new Node.Sequence(at, pattern.keys().stream().map(this::text).toList()));
    Map<String, Node.NodeField> match = new LinkedHashMap<>();
    if (pattern.path() != null) {
      match.put("path", new Node.NodeField(at, text(pattern.path())));
    }
    String conditions = row.text(RuleColumn.MATCH);
    if (conditions != null
        && JsonColumns.parse(conditions, at, "match", problems) instanceof Node.Mapping written) {
      match.putAll(written.entries());
    }
    String plan = row.text(RuleColumn.PLAN);
    if (plan != null) {
      match.put("plan", new Node.NodeField(at, text(plan)));
    }
    if (!match.isEmpty()) {
      put("match", new Node.Mapping(at, match));
    }
  }

  private Node scalar(Object value) {
    return value instanceof BigDecimal number
        ? new Node.Scalar(at, number.toPlainString(), Node.NodeKind.NUMBER)
        : text(value.toString());
  }

  private Node text(String text) {
    return new Node.Scalar(at, text, Node.NodeKind.TEXT);
  }

  private void put(String name, Node value) {
    fields.put(name, new Node.NodeField(at, value));
  }
}
