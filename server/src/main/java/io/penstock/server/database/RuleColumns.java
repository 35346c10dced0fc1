package io.penstock.server.database;

import io.penstock.policy.load.Fields;
import io.penstock.policy.load.Located;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.Problem;
import io.penstock.policy.load.Problems;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Converts a rule as in a policy file to a row; the inverse of {@link RuleDocument}. */
final class RuleColumns {
  private static final Pattern PER_SECOND = Pattern.compile("[0-9]+(\\.[0-9]+)?/s");
  private static final Set<String> FIELDS_WITH_COLUMN =
      Set.of(
          "name",
          "description",
          "limit_keys",
          "match",
          "group",
          "scope",
          "rate",
          "burst",
          "cost_source",
          "fixed_cost",
          "default_cost",
          "mode",
          "on_store_failure",
          "$schema");
  private static final Map<String, String> COLUMNS =
      Map.of(
          "limit_keys", "key_pattern",
          "burst", "burst_capacity",
          "group", "tier_group");
  private static final int MAX_PLAN_LENGTH = 64;
  private static final int MAX_PATH_LENGTH = 900;

  private final Node.Mapping rule;
  private final Fields fields;

  private RuleColumns(Node.Mapping rule, Fields fields) {
    this.rule = rule;
    this.fields = fields;
  }

  /**
   * Returns the row for a rule that the loader has accepted; returns null and adds errors if it
   * can't be stored as a row.
   *
   * @param order the position of the rule among the tiers
   */
  static @Nullable RuleContent of(
      Located<Node> rule, int order, boolean active, Problems problems) {
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
    return new RuleColumns(mapping, fields).content(order, active);
  }

  private @Nullable RuleContent content(int order, boolean active) {
    List<String> keys = keys();
    Map<String, Node.NodeField> match = match();
    String pattern;
    try {
      pattern = KeyPattern.of(keys);
    } catch (IllegalArgumentException e) {
      fields.refused("limit_keys", e);
      return null;
    }
    String scope = text("scope");
    if (scope == null) {
      scope = KeyPattern.scopeOf(keys, match.containsKey("path"));
    }
    String path = single(match.get("path"), MAX_PATH_LENGTH);
    if (keys.isEmpty() && path != null && path.indexOf('{') < 0 && path.indexOf('}') < 0) {
      pattern = KeyPattern.ENDPOINT + path;
      match.remove("path");
    }
    String plan = single(match.get("plan"), MAX_PLAN_LENGTH);
    if (plan != null) {
      match.remove("plan");
    }
    String rate = text("rate");
    BigDecimal perSecond = perSecond(rate);
    return new RuleContent(
        String.valueOf(text("name")),
        text("description"),
        pattern,
        scope,
        plan,
        JsonColumns.text(new Node.Mapping(rule.at(), match)),
        perSecond,
        perSecond == null ? rate : null,
        number("burst"),
        new RuleContent.Costs(text("cost_source"), number("fixed_cost"), number("default_cost")),
        orDefault(text("mode"), "enforce"),
        orDefault(text("on_store_failure"), "open"),
        new RuleContent.TierColumns(order, text("group")),
        options(),
        active);
  }

  private static @Nullable BigDecimal perSecond(@Nullable String rate) {
    return rate != null && PER_SECOND.matcher(rate).matches()
        ? new BigDecimal(rate.substring(0, rate.length() - 2))
        : null;
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
    options.keySet().removeAll(FIELDS_WITH_COLUMN);
    return JsonColumns.text(new Node.Mapping(rule.at(), options));
  }

  private static @Nullable String single(Node.@Nullable NodeField entry, int maxLength) {
    return entry != null
            && entry.value() instanceof Node.Scalar scalar
            && scalar.text().length() <= maxLength
        ? scalar.text()
        : null;
  }

  private @Nullable String text(String name) {
    return fields.given(name) ? fields.text(name) : null;
  }

  private @Nullable BigDecimal number(String name) {
    return fields.given(name) ? fields.number(name) : null;
  }

  private static String orDefault(@Nullable String value, String defaultValue) {
    return value == null ? defaultValue : value;
  }

  /** Replaces the field of a problem by the name of its column. */
  static Problem withColumnName(Problem problem) {
    String path = problem.path();
    int end = path.indexOf('.') < 0 ? path.length() : path.indexOf('.');
    int bracket = path.indexOf('[');
    end = bracket >= 0 && bracket < end ? bracket : end;
    String column = COLUMNS.get(path.substring(0, end));
    return column == null
        ? problem
        : new Problem(
            problem.severity(),
            problem.location(),
            column + path.substring(end),
            problem.message());
  }
}
