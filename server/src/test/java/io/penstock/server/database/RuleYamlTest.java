package io.penstock.server.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.policy.load.Document;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.Problems;
import io.penstock.policy.load.RuleField;
import io.penstock.policy.load.RuleFields;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RuleYamlTest {
  @Test
  void text_rule_hasOneFieldPerLine() {
    String policy =
        """
        rules:
          - name: login
            limit_keys: ["ip:address"]
            match: {method: POST, path: "/login*"}
            rate: 5/min
            burst: 5
          - name: "007"
            limit_keys: []
            rate: 1/10s
            enabled: true
        """;

    assertThat(RuleFile.text(rules(policy))).isEqualTo(policy);
  }

  @Test
  void text_noRules_isAnEmptyList() {
    assertThat(RuleFile.text(List.of())).isEqualTo("rules: []\n");
  }

  @Test
  void text_everyField_readsTheSame() {
    for (String field : RuleFields.ALL.stream().map(RuleField::name).toList()) {
      for (String rule : RuleExamples.with(field)) {
        List<Node> rules = rules("rules: [" + rule + "]");
        String text = RuleFile.text(rules);
        assertThat(RuleFile.text(rules(text))).as(text).isEqualTo(text);
        assertThat(json(rules(text))).as(text).isEqualTo(json(rules));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "a b",
        "a: b",
        "a #b",
        "- a",
        "*",
        "&a",
        "!a",
        "'",
        "\"",
        "\\",
        "off",
        "No",
        "~",
        "null",
        "1e3",
        "0x1f",
        "1_000",
        ".5",
        "a,b",
        "[a",
        "{a",
        "a:",
        "é",
        "\u2028",
        "\t",
        "a\nb",
        "2001-01-01",
        "1:30",
        "=",
        "<<",
        "?",
        "|",
        "%a",
        "@a",
        "`a",
        "5/min",
        "ip:address"
      })
  void text_anyDescription_readsTheSame(String description) {
    Node.Scalar name = new Node.Scalar(RuleRepository.NOWHERE, description, Node.NodeKind.TEXT);
    Node rule =
        new Node.Mapping(
            RuleRepository.NOWHERE,
            java.util.Map.of("description", new Node.NodeField(RuleRepository.NOWHERE, name)));

    assertThat(json(rules(RuleFile.text(List.of(rule))))).isEqualTo(json(List.of(rule)));
  }

  @Test
  void change_values_areFormattedAsInTheFile() {
    Node.Mapping rule = (Node.Mapping) rules("rules: [{burst: 8, match: {path: /a}}]").get(0);
    Node burst = rule.entries().get("burst").value();
    Node match = rule.entries().get("match").value();

    assertThat(RuleYaml.change("burst", burst, null)).isEqualTo("burst: 8 → (not set)");
    assertThat(RuleYaml.change("match", null, match)).isEqualTo("match: (not set) → {path: /a}");
  }

  private static List<String> json(List<Node> rules) {
    return rules.stream().map(rule -> JsonColumns.text(RuleTexts.of(rule))).toList();
  }

  private static List<Node> rules(String policy) {
    Problems problems = new Problems();
    Node root = Document.parse(policy, "policy.yaml", problems);
    assertThat(problems.errors()).isEmpty();
    Node.Mapping mapping = (Node.Mapping) Objects.requireNonNull(root);
    return ((Node.Sequence) mapping.entries().get("rules").value()).items();
  }
}
