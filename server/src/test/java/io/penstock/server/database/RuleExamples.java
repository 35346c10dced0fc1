package io.penstock.server.database;

import io.penstock.policy.load.Document;
import io.penstock.policy.load.Located;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.Problems;
import io.penstock.policy.load.RuleField;
import io.penstock.policy.load.RuleFields;
import io.penstock.policy.load.RuleReader;
import java.util.ArrayList;
import java.util.List;

/** Valid rules for each field of a rule. */
final class RuleExamples {
  private static final List<String> FORMS =
      List.of(
          "rate: 7/s",
          "rate: 7/s, cost_source: v",
          "rate: 7/s, on_limit: delay",
          "algorithm: fixed_window, limit: 5",
          "algorithm: fixed_window, window: 5s",
          "");

  private RuleExamples() {}

  /** Returns rules that have {@code field}, as YAML. */
  static List<String> with(String field) {
    List<String> rules = new ArrayList<>();
    for (RuleField declared : RuleFields.ALL) {
      for (String value : declared.name().equals(field) ? declared.examples() : List.<String>of()) {
        for (String form : FORMS) {
          String rule = rule(form, field, value);
          if (!form.contains(field + ":") && isValid(rule)) {
            rules.add(rule);
          }
        }
      }
    }
    return rules;
  }

  private static String rule(String form, String field, String value) {
    String name = field.equals("name") ? "" : ", name: n";
    String keys = field.equals("limit_keys") ? "" : ", limit_keys: [k]";
    return "{" + field + ": " + value + (form.isEmpty() ? "" : ", ") + form + name + keys + "}";
  }

  private static boolean isValid(String rule) {
    Problems problems = new Problems();
    Node node = Document.parse(rule, "rule.yaml", problems);
    return RuleReader.read(new Located<>(node, node.at(), ""), problems) != null;
  }
}
