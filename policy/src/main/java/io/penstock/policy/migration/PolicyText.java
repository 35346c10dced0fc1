package io.penstock.policy.migration;

import io.penstock.policy.load.Location;
import io.penstock.policy.load.PolicyException;
import io.penstock.policy.load.PolicyLoader;
import io.penstock.policy.load.Problem;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The text of a policy that is being translated, and what has no equivalent. Not thread-safe. */
final class PolicyText {
  private final String origin;
  private final StringBuilder rules = new StringBuilder();
  private final TreeSet<String> callerAttributes = new TreeSet<>();
  private final List<Problem> problems = new ArrayList<>();
  private String mode = "";

  /** The fields of a rule, in order. */
  static final class RuleText {
    private final Map<String, String> fields = new LinkedHashMap<>();
    private final List<String> comments = new ArrayList<>();

    /** Sets a field to a value in YAML. */
    RuleText set(String field, String yaml) {
      fields.put(field, yaml);
      return this;
    }

    RuleText comment(String text) {
      comments.add(text);
      return this;
    }
  }

  /**
   * @param origin what the policy is translated from, for its first line
   */
  PolicyText(String origin) {
    this.origin = origin;
  }

  void add(Location at, String name, RuleText rule) {
    rules.append("  # ").append(inOneLine(at.toString())).append('\n');
    rule.comments.forEach(text -> rules.append("  # ").append(inOneLine(text)).append('\n'));
    rules.append("  - name: ").append(quote(name)).append('\n');
    rule.fields.forEach(
        (field, yaml) -> rules.append("    ").append(field).append(": ").append(yaml).append('\n'));
  }

  /** Declares an attribute that the caller supplies. */
  void callerSupplies(String attribute) {
    callerAttributes.add(attribute);
  }

  /** Sets the mode of the whole policy. */
  void mode(String all) {
    mode = all;
  }

  /** Reports a part of the configuration that a policy can't express. */
  void missing(Location at, String what) {
    problems.add(
        new Problem(Problem.Severity.WARNING, at, "", "has no equivalent in a policy: " + what));
  }

  /** Returns the policy. If it is not valid, the reasons are among the problems. */
  ImportedPolicy result() {
    StringBuilder policy = new StringBuilder("# From " + inOneLine(origin) + ".\n");
    if (!mode.isEmpty()) {
      policy.append("mode: ").append(mode).append('\n');
    }
    if (!callerAttributes.isEmpty()) {
      policy
          .append("# The caller states these, or map them to parts of the request.\n")
          .append(
              callerAttributes.stream()
                  .map(name -> quote(name) + ": caller")
                  .collect(Collectors.joining(", ", "attributes: {", "}\n")));
    }
    policy.append(rules.length() == 0 ? "rules: []\n" : "rules:\n").append(rules);
    String text = policy.toString();
    if (rules.length() > 0) {
      try {
        var unused = PolicyLoader.parse(text, "imported.yaml");
      } catch (PolicyException invalid) {
        problems.addAll(invalid.problems());
      }
    }
    return new ImportedPolicy(text, problems);
  }

  static String list(List<String> texts) {
    return texts.stream().map(PolicyText::quote).collect(Collectors.joining(", ", "[", "]"));
  }

  private static String inOneLine(String text) {
    return text.replaceAll("[\\p{Cntrl}\\u0085\\u2028\\u2029]", " ");
  }

  /** Quotes a text as JSON does, which YAML reads as well. */
  static String quote(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        quoted.append('\\').append(c);
      } else if (c < ' ' || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029) {
        quoted.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }
}
