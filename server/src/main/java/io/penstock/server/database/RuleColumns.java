package io.penstock.server.database;

import io.penstock.policy.load.Fields;
import io.penstock.policy.load.Located;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.Problem;
import io.penstock.policy.load.Problems;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Converts a rule as in a policy file to a row; the inverse of {@link RuleDocument}. */
final class RuleColumns {
  private static final Pattern PER_SECOND = Pattern.compile("[0-9]+(\\.[0-9]+)?/s");
  private static final Map<String, RuleColumn> COLUMNS =
      Arrays.stream(RuleColumn.values())
          .filter(column -> column.field() != null)
          .collect(Collectors.toMap(column -> String.valueOf(column.field()), column -> column));

  /** Fields that only editors use. */
  private static final String EDITOR_FIELD = "$schema";

  private static final int MAX_PLAN_LENGTH = 64;
  private static final int MAX_PATH_LENGTH = 900;

  private final Node.Mapping rule;
  private final Fields fields;
  private final Map<RuleColumn, Object> values = new EnumMap<>(RuleColumn.class);

  private RuleColumns(Node.Mapping rule, Fields fields) {
    this.rule = rule;
    this.fields = fields;
  }

  /**
   * Returns the row for a rule that the loader has accepted; returns null and adds errors if it
   * can't be stored as a row.
   */
  static @Nullable RuleContent of(Located<Node> rule, boolean active, Problems problems) {
    Node.Mapping mapping =
        rule.value() instanceof Node.Mapping written ? RuleTexts.of(written) : null;
    Fields fields =
        Fields.of(
            mapping == null ? rule : new Located<>(mapping, rule.at(), rule.path()), problems);
    if (fields == null || mapping == null) {
      return null;
    }
    int before = problems.errorCount();
    PostgresText.check(rule, problems);
    if (problems.errorCount() > before) {
      return null;
    }
    return new RuleColumns(mapping, fields).content(active);
  }

  private @Nullable RuleContent content(boolean active) {
    values.put(RuleColumn.TIER_ORDER, 0);
    values.put(RuleColumn.IS_ACTIVE, active);
    values.put(RuleColumn.OPTIONS, options());
    COLUMNS.forEach(this::setScalar);
    moveRate();
    return setKeysAndMatch() ? new RuleContent(values) : null;
  }

  private void setScalar(String field, RuleColumn column) {
    Object value = column.defaultValue();
    if (fields.given(field) && fields.node(field) instanceof Node.Scalar) {
      value = column.type() == RuleColumn.Type.NUMBER ? fields.number(field) : fields.text(field);
    }
    if (value != null) {
      values.put(column, value);
    }
  }

  /** Stores a rate per second as a number. */
  private void moveRate() {
    if (values.get(RuleColumn.RATE) instanceof String rate && PER_SECOND.matcher(rate).matches()) {
      values.remove(RuleColumn.RATE);
      values.put(RuleColumn.RATE_PER_SECOND, new BigDecimal(rate.substring(0, rate.length() - 2)));
    }
  }

  private boolean setKeysAndMatch() {
    List<String> keys = keys();
    Map<String, Node.NodeField> match = match();
    String pattern;
    try {
      pattern = KeyPattern.of(keys);
    } catch (IllegalArgumentException e) {
      fields.error("limit_keys", String.valueOf(e.getMessage()));
      return false;
    }
    values.putIfAbsent(RuleColumn.SCOPE, KeyPattern.scopeOf(keys, match.containsKey("path")));
    String path = single(match.get("path"), MAX_PATH_LENGTH);
    if (keys.isEmpty() && path != null && path.indexOf('{') < 0 && path.indexOf('}') < 0) {
      pattern = KeyPattern.ENDPOINT + path;
      match.remove("path");
    }
    values.put(RuleColumn.KEY_PATTERN, pattern);
    String plan = single(match.get("plan"), MAX_PLAN_LENGTH);
    if (plan != null) {
      values.put(RuleColumn.PLAN, plan);
      match.remove("plan");
    }
    values.put(RuleColumn.MATCH, JsonColumns.text(new Node.Mapping(rule.at(), match)));
    return true;
  }

  private List<String> keys() {
    List<String> keys = new ArrayList<>();
    if (fields.node("limit_keys") instanceof Node.Sequence sequence) {
      for (Node item : sequence.items()) {
        if (item instanceof Node.Scalar scalar) {
          keys.add(scalar.text());
        }
      }
    }
    return keys;
  }

  private Map<String, Node.NodeField> match() {
    return fields.node("match") instanceof Node.Mapping mapping
        ? new LinkedHashMap<>(mapping.entries())
        : new LinkedHashMap<>();
  }

  /** Returns the fields that have no column. */
  private String options() {
    Map<String, Node.NodeField> options = new LinkedHashMap<>(rule.entries());
    options.keySet().removeAll(COLUMNS.keySet());
    options.remove(EDITOR_FIELD);
    return JsonColumns.text(new Node.Mapping(rule.at(), options));
  }

  private static @Nullable String single(Node.@Nullable NodeField entry, int maxLength) {
    return entry != null
            && entry.value() instanceof Node.Scalar scalar
            && scalar.text().length() <= maxLength
        ? scalar.text()
        : null;
  }

  /** Replaces the field of a problem by the name of its column. */
  static Problem withColumnName(Problem problem) {
    String path = problem.path();
    int end = path.indexOf('.') < 0 ? path.length() : path.indexOf('.');
    int bracket = path.indexOf('[');
    end = bracket >= 0 && bracket < end ? bracket : end;
    RuleColumn column = COLUMNS.get(path.substring(0, end));
    return column == null
        ? problem
        : new Problem(
            problem.severity(),
            problem.location(),
            column.column() + path.substring(end),
            problem.message());
  }
}
