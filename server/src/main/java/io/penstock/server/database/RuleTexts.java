package io.penstock.server.database;

import io.penstock.policy.load.MatchTexts;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.RuleField;
import io.penstock.policy.load.RuleFields;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Converts scalars of text fields to strings. YAML allows them without quotes: as a JSON number,
 * {@code 007} would become 7, and {@code 1.10} would become 1.1.
 */
final class RuleTexts {
  private static final String MATCH = "match";
  private static final Set<String> TEXTS =
      RuleFields.ALL.stream()
          .filter(RuleField::isText)
          .map(RuleField::name)
          .collect(Collectors.toSet());

  private RuleTexts() {}

  /** Converts a rule; returns anything else unchanged. */
  static Node of(Node rule) {
    return rule instanceof Node.Mapping mapping ? of(mapping) : rule;
  }

  static Node.Mapping of(Node.Mapping rule) {
    Map<String, Node.NodeField> entries = new LinkedHashMap<>();
    rule.entries()
        .forEach(
            (name, entry) ->
                entries.put(name, new Node.NodeField(entry.at(), field(name, entry.value()))));
    return new Node.Mapping(rule.at(), entries);
  }

  private static Node field(String name, Node value) {
    if (name.equals(MATCH)) {
      return value instanceof Node.Mapping match ? MatchTexts.of(match) : value;
    }
    return TEXTS.contains(name) ? text(value) : nested(value);
  }

  /** Converts nested mappings, such as limits. */
  private static Node nested(Node value) {
    return value instanceof Node.Sequence list
        ? new Node.Sequence(list.at(), list.items().stream().map(RuleTexts::of).toList())
        : of(value);
  }

  private static Node text(Node value) {
    if (value instanceof Node.Sequence list) {
      return new Node.Sequence(list.at(), list.items().stream().map(RuleTexts::text).toList());
    }
    return value instanceof Node.Scalar scalar && scalar.kind() != Node.NodeKind.NULL
        ? new Node.Scalar(scalar.at(), scalar.text(), Node.NodeKind.TEXT)
        : value;
  }
}
