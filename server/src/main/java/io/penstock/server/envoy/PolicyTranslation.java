package io.penstock.server.envoy;

import io.penstock.policy.load.Location;
import io.penstock.policy.load.Problem;
import io.penstock.policy.migration.ImportedPolicy;
import io.penstock.server.envoy.DescriptorLimit.LimitAlgorithm;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Translates limits of Envoy to rules of a policy. Limits on the same keys become tiers of a group,
 * because only the first that matches applies. Not thread-safe.
 */
final class PolicyTranslation {
  private static final String INDENT = "    ";

  private final EnvoyConfig config;
  private final LimitAlgorithm algorithm;
  private final List<Problem> problems = new ArrayList<>();
  private final Map<String, String> attributes = new TreeMap<>();
  private final StringBuilder rules = new StringBuilder();

  /** The attribute for an entry, and what its values match. */
  private record EntryCondition(DescriptorNode node, PolicyAttribute attribute) {}

  PolicyTranslation(EnvoyConfig config, LimitAlgorithm algorithm) {
    this.config = config;
    this.algorithm = algorithm;
    this.problems.addAll(config.warnings());
  }

  ImportedPolicy result(String origin) {
    new TreeMap<>(config.domains()).forEach(this::domain);
    StringBuilder policy = new StringBuilder();
    policy.append("# From ").append(inOneLine(origin)).append(", for envoyproxy/ratelimit.\n");
    policy.append(
        "# Callers state the domain and the other attributes marked caller in each request.\n");
    if (!attributes.isEmpty()) {
      policy.append("attributes:\n");
      attributes.forEach(
          (name, source) ->
              policy.append("  ").append(quote(name)).append(": ").append(source).append('\n'));
    }
    policy.append(rules.length() == 0 ? "rules: []\n" : "rules:\n").append(rules);
    return new ImportedPolicy(policy.toString(), problems);
  }

  private void domain(String domain, DescriptorNode root) {
    root.forEachShadowed(
        (first, second) ->
            missing(
                second.at(),
                "its limits also apply to entries that match the descriptor "
                    + first.at().reference()
                    + " and nothing nested in it"));
    Map<List<String>, List<List<DescriptorNode>>> groups = new LinkedHashMap<>();
    root.forEachPath(
        path -> groups.computeIfAbsent(keys(path), unused -> new ArrayList<>()).add(path));
    groups.forEach(
        (keys, paths) -> {
          if (paths.stream().anyMatch(path -> last(path).limit() != null)) {
            paths.forEach(path -> tier(domain, keys, path, paths.size() > 1));
          }
        });
  }

  private static List<String> keys(List<DescriptorNode> path) {
    return path.stream().map(DescriptorNode::key).toList();
  }

  private static DescriptorNode last(List<DescriptorNode> path) {
    return path.get(path.size() - 1);
  }

  private void tier(String domain, List<String> keys, List<DescriptorNode> path, boolean grouped) {
    DescriptorNode last = last(path);
    DescriptorLimit limit = last.limit();
    List<EntryCondition> conditions = conditions(path);
    if (conditions.isEmpty()) {
      return;
    }
    report(last);
    attributes.put("domain", "caller");
    List<String> limitKeys = new ArrayList<>();
    StringBuilder match = new StringBuilder("domain: ").append(quote(domain));
    for (EntryCondition condition : conditions) {
      PolicyAttribute attribute = condition.attribute;
      if (attribute.source() != null) {
        attributes.put(attribute.name(), attribute.source());
      }
      if (condition.node.selectsBucket()) {
        limitKeys.add(attribute.name());
      }
      String value = condition.node.value();
      if (!value.isEmpty()) {
        match.append(", ").append(quote(attribute.name())).append(": ").append(quote(value));
      }
    }
    rules.append("  # ").append(inOneLine(last.at().toString())).append('\n');
    rules
        .append("  - name: ")
        .append(quote(limit == null ? domain + "." + text(path) : limit.name()))
        .append('\n');
    field("limit_keys", limitKeys.stream().map(PolicyTranslation::quote).toList().toString());
    field("match", "{" + match + "}");
    if (grouped) {
      field("group", quote(domain + ": " + String.join(", ", keys)));
    }
    if (limit == null || limit.unit() == null) {
      field("unlimited", "true");
      return;
    }
    rate(limit, limit.unit());
    if (limit.mode().shadow()) {
      field("mode", "shadow");
    }
  }

  private void rate(DescriptorLimit limit, LimitUnit unit) {
    long requests = Math.min(limit.requestsPerUnit(), DescriptorLimit.MAX_REQUESTS);
    String amount = requests == 0 ? "0.001" : String.valueOf(requests);
    if (requests == 0) {
      rules.append(INDENT).append("# Denies every request: none fits into the burst.\n");
    }
    String period =
        switch (unit) {
          case SECOND -> "s";
          case MINUTE -> "min";
          case HOUR -> "h";
          case DAY -> "d";
          case WEEK, MONTH, YEAR -> unit.duration().toDays() + "d";
        };
    if (algorithm == LimitAlgorithm.FIXED_WINDOW) {
      field("algorithm", "fixed_window");
      field("limit", amount);
      field("window", period.matches("[a-z].*") ? "1" + period : period);
      return;
    }
    field("rate", amount + "/" + period);
    field("burst", amount);
  }

  private void field(String name, String value) {
    rules.append(INDENT).append(name).append(": ").append(value).append('\n');
  }

  /** Returns the conditions of a path; empty if one of its entries has no equivalent. */
  private List<EntryCondition> conditions(List<DescriptorNode> path) {
    List<EntryCondition> conditions = new ArrayList<>();
    for (DescriptorNode node : path) {
      PolicyAttribute attribute = PolicyAttribute.of(node.key());
      String reason = attribute.obstacle(node);
      if (reason == null
          && conditions.stream().anyMatch(other -> other.attribute.equals(attribute))) {
        reason = "a rule can't match two entries with the same key: " + node.key();
      }
      if (reason != null) {
        missing(node.at(), reason);
        return List.of();
      }
      conditions.add(new EntryCondition(node, attribute));
    }
    return conditions;
  }

  /** Reports the parts of a limit that rules don't have. */
  private void report(DescriptorNode node) {
    DescriptorLimit limit = node.limit();
    if (limit == null) {
      return;
    }
    if (!limit.replaces().isEmpty()) {
      missing(
          node.at(), "replaces: both limits apply, " + limit.name() + " and the one it replaces");
    }
    if (limit.mode().quota()) {
      missing(node.at(), "quota_mode: the limit denies by itself: " + limit.name());
    }
    if (limit.metadata() != null) {
      missing(node.at(), "metadata: " + limit.name());
    }
  }

  private void missing(Location at, String what) {
    problems.add(
        new Problem(Problem.Severity.WARNING, at, "", "has no equivalent in a policy: " + what));
  }

  private static String text(List<DescriptorNode> path) {
    List<String> parts = new ArrayList<>();
    for (DescriptorNode node : path) {
      parts.add(node.value().isEmpty() ? node.key() : node.key() + "_" + node.value());
    }
    return String.join(".", parts);
  }

  private static String inOneLine(String text) {
    return text.replaceAll("\\p{Cntrl}", " ");
  }

  /** Quotes a text as JSON does, which YAML reads as well. */
  private static String quote(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        quoted.append('\\').append(c);
      } else if (c < ' ' || c == 0x7f || (c >= 0x80 && c < 0xa0) || c == 0x2028 || c == 0x2029) {
        quoted.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }
}
