package io.penstock.cli;

import io.penstock.policy.load.Node;
import io.penstock.server.database.RuleYaml;
import org.jspecify.annotations.Nullable;

/** Describes a change of a rule, as the admin API returns it, for people. */
final class RuleChangeText {
  private RuleChangeText() {}

  /** Returns a line with the action and the rule, and a line for each changed field. */
  static String of(Node change) {
    StringBuilder text =
        new StringBuilder(text(child(change, "action")) + " " + text(child(change, "name")));
    Node before = child(change, "before");
    Node after = child(change, "after");
    if (child(change, "fields") instanceof Node.Sequence fields) {
      for (Node field : fields.items()) {
        String name = text(field);
        text.append("\n  ").append(RuleYaml.change(name, value(before, name), value(after, name)));
      }
    }
    return text.toString();
  }

  /** Returns a field of the rule, or of the row if the rule has no such field. */
  private static @Nullable Node value(@Nullable Node stored, String name) {
    Node ofRule = child(child(stored, "rule"), name);
    return ofRule == null && !name.equals("name") ? child(stored, name) : ofRule;
  }

  private static @Nullable Node child(@Nullable Node node, String name) {
    Node.NodeField field = node instanceof Node.Mapping map ? map.entries().get(name) : null;
    return field == null ? null : field.value();
  }

  private static String text(@Nullable Node node) {
    return node instanceof Node.Scalar scalar ? scalar.text() : "";
  }
}
