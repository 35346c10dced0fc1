package io.penstock.server.database;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.penstock.policy.http.Json;
import io.penstock.policy.load.Node;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Formats rules as YAML for people: one field per line, without quotes where they aren't needed.
 */
public final class RuleYaml {
  /** Text that every YAML parser reads as text, also within brackets. */
  private static final Pattern PLAIN =
      Pattern.compile("[A-Za-z/][A-Za-z0-9_./-]*|[0-9]+(\\.[0-9]+)?/[0-9]*[a-z]+");

  /** Words that YAML parsers read as something other than text. */
  private static final Set<String> RESERVED =
      Set.of("true", "false", "yes", "no", "on", "off", "y", "n", "null");

  private RuleYaml() {}

  /** Formats the rules as a policy. */
  static String policy(List<Node> rules) {
    if (rules.isEmpty()) {
      return "rules: []\n";
    }
    StringBuilder text = new StringBuilder("rules:\n");
    for (Node rule : rules) {
      String indent = "  - ";
      for (Map.Entry<String, Node.NodeField> field : ((Node.Mapping) rule).entries().entrySet()) {
        text.append(indent).append(field(field)).append('\n');
        indent = "    ";
      }
    }
    return text.toString();
  }

  /** Describes the change of a field, such as {@code burst: 8 → 9}. */
  public static String change(String field, @Nullable Node before, @Nullable Node after) {
    return field + ": " + valueOrUnset(before) + " → " + valueOrUnset(after);
  }

  private static String valueOrUnset(@Nullable Node node) {
    return node == null ? "(not set)" : value(node);
  }

  private static String field(Map.Entry<String, Node.NodeField> field) {
    return text(field.getKey()) + ": " + value(field.getValue().value());
  }

  private static String value(Node node) {
    if (node instanceof Node.Sequence sequence) {
      return sequence.items().stream()
          .map(RuleYaml::value)
          .collect(Collectors.joining(", ", "[", "]"));
    }
    if (node instanceof Node.Mapping mapping) {
      return mapping.entries().entrySet().stream()
          .map(RuleYaml::field)
          .collect(Collectors.joining(", ", "{", "}"));
    }
    Node.Scalar scalar = (Node.Scalar) node;
    return scalar.kind() == Node.NodeKind.TEXT ? text(scalar.text()) : JsonColumns.text(scalar);
  }

  private static String text(String text) {
    return PLAIN.matcher(text).matches() && !RESERVED.contains(text.toLowerCase(Locale.ROOT))
        ? text
        : new String(Json.bytes(json -> json.writeString(text)), UTF_8);
  }
}
