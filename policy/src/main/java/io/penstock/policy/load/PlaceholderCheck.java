package io.penstock.policy.load;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Warns of placeholders of shells and template engines, which Penstock doesn't replace. Conditions
 * with them match no request.
 */
final class PlaceholderCheck {
  private static final Pattern PLACEHOLDER =
      Pattern.compile("\\$\\{[A-Za-z_][\\w.:-]{0,60}\\}|\\{\\{[^{}]{1,60}\\}\\}");

  private PlaceholderCheck() {}

  static void check(Node node, String path, Problems problems) {
    if (node instanceof Node.Scalar scalar) {
      Matcher placeholder = PLACEHOLDER.matcher(scalar.text());
      if (scalar.kind() == Node.NodeKind.TEXT && placeholder.find()) {
        problems.warning(
            scalar.at(),
            path,
            "contains a placeholder, which is not replaced: "
                + placeholder.group()
                + "; replace it before the policy is deployed");
      }
    } else if (node instanceof Node.Sequence list) {
      for (int i = 0; i < list.items().size(); i++) {
        check(list.items().get(i), path + "[" + i + "]", problems);
      }
    } else if (node instanceof Node.Mapping mapping) {
      String prefix = path.isEmpty() ? "" : path + ".";
      mapping.entries().forEach((name, field) -> check(field.value(), prefix + name, problems));
    }
  }
}
