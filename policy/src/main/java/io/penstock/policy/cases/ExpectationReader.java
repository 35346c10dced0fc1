package io.penstock.policy.cases;

import io.penstock.Reason;
import io.penstock.policy.Mode;
import io.penstock.policy.load.Fields;
import io.penstock.policy.load.Located;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.Problems;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the expectations of a case. */
final class ExpectationReader {
  private static final Map<String, String> REASONS = new LinkedHashMap<>();
  private static final Map<String, String> MODES = new LinkedHashMap<>();

  static {
    for (Reason reason : Reason.values()) {
      REASONS.put(reason.code(), reason.code());
    }
    MODES.put(Mode.ENFORCE.code(), Mode.ENFORCE.code());
    MODES.put(Mode.SHADOW.code(), Mode.SHADOW.code());
  }

  private final Problems problems;

  ExpectationReader(Problems problems) {
    this.problems = problems;
  }

  /** Returns the expectation; null if it has errors. */
  @Nullable Expectation read(Located<Node> node) {
    Fields fields = Fields.of(node, problems);
    if (fields == null) {
      return null;
    }
    int before = problems.errorCount();
    Map<ResponseField, String> figures = figures(fields, false);
    List<Map<ResponseField, String>> limits = limits(fields);
    List<String> rules = rules(fields);
    fields.done();
    if (problems.errorCount() > before) {
      return null;
    }
    if (figures.isEmpty() && limits == null && rules == null) {
      problems.error(node.at(), node.path(), "must have at least one expected field");
      return null;
    }
    return new Expectation(figures, limits, rules);
  }

  private static Map<ResponseField, String> figures(Fields fields, boolean ofRule) {
    Map<ResponseField, String> figures = new EnumMap<>(ResponseField.class);
    for (ResponseField figure : ResponseField.values()) {
      if (ofRule || !figure.isRuleOnly()) {
        String expected = expected(fields, figure, ofRule);
        if (expected != null) {
          figures.put(figure, expected);
        }
      }
    }
    return figures;
  }

  private static @Nullable String expected(Fields fields, ResponseField figure, boolean ofRule) {
    String name = figure.code();
    if (!fields.has(name)) {
      return null;
    }
    if (!fields.given(name) && canBeNull(figure, ofRule)) {
      return ResponseField.NONE;
    }
    return switch (figure) {
      case ALLOWED -> Boolean.toString(fields.flag(name));
      case RULE -> fields.text(name);
      case REASON -> fields.choice(name, REASONS);
      case MODE -> fields.choice(name, MODES);
      case LIMIT, REMAINING, COST -> fields.number(name, ResponseField::number);
      case RETRY_AFTER_MS, RESET_AFTER_MS, DELAY_MS ->
          fields.number(name, ExpectationReader::millis);
    };
  }

  /**
   * Returns whether the field can be null in a response: without a rule, without a denial, or if a
   * retry can never succeed.
   */
  private static boolean canBeNull(ResponseField figure, boolean ofRule) {
    return switch (figure) {
      case REASON, RETRY_AFTER_MS -> true;
      case RULE, LIMIT, REMAINING -> !ofRule;
      default -> false;
    };
  }

  private static String millis(BigDecimal number) {
    String text = ResponseField.number(number);
    if (number.signum() < 0 || text.indexOf('.') >= 0) {
      throw new IllegalArgumentException("must be a whole number of milliseconds: " + text);
    }
    return text;
  }

  private @Nullable List<Map<ResponseField, String>> limits(Fields expect) {
    List<Located<Node>> items = expect.list("limits");
    if (items == null) {
      return null;
    }
    List<Map<ResponseField, String>> limits = new ArrayList<>();
    for (Located<Node> item : items) {
      Fields fields = Fields.of(item, problems);
      if (fields != null) {
        limits.add(figures(fields, true));
        fields.done();
      }
    }
    return limits;
  }

  private @Nullable List<String> rules(Fields expect) {
    List<Located<Node>> items = expect.list("rules");
    if (items == null) {
      return null;
    }
    List<String> rules = new ArrayList<>();
    for (Located<Node> item : items) {
      if (item.value() instanceof Node.Scalar scalar && scalar.kind() != Node.NodeKind.NULL) {
        rules.add(scalar.text());
      } else {
        problems.error(
            item.at(), item.path(), "must be the name of a rule, not " + item.value().describe());
      }
    }
    return rules;
  }
}
