package io.penstock.server.database;

import io.penstock.policy.load.Location;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.Problems;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Converts a row to the rule that a policy file would contain, so that the same loader validates
 * both. Default values are omitted.
 */
final class RuleDocument {
  private final Location at;
  private final Problems problems;
  private final Map<String, Node.NodeField> fields = new LinkedHashMap<>();

  private RuleDocument(Location at, Problems problems) {
    this.at = at;
    this.problems = problems;
  }

  /**
   * Returns the rule of {@code row}; adds an error at {@code at} for values that can't be expressed
   * as a rule.
   */
  static Node.Mapping of(RuleContent row, Location at, Problems problems) {
    RuleDocument document = new RuleDocument(at, problems);
    document.fill(row);
    return new Node.Mapping(at, document.fields);
  }

  private void fill(RuleContent row) {
    text("name", row.name());
    text("description", row.description());
    keysAndMatch(row);
    text("group", row.tier().group());
    text("scope", row.scope());
    if (row.ratePerSecond() != null) {
      text("rate", row.ratePerSecond().toPlainString() + "/s");
    }
    text("rate", row.rate());
    number("burst", row.burstCapacity());
    text("cost_source", row.costs().source());
    number("fixed_cost", row.costs().fixed());
    number("default_cost", row.costs().defaultCost());
    if (!row.mode().equals("enforce")) {
      text("mode", row.mode());
    }
    if (!row.onStoreFailure().equals("open")) {
      text("on_store_failure", row.onStoreFailure());
    }
    if (JsonColumns.parse(row.options(), at, "options", problems) instanceof Node.Mapping options) {
      fields.putAll(options.entries());
    }
  }

  private void keysAndMatch(RuleContent row) {
    KeyPattern pattern;
    try {
      pattern = KeyPattern.parse(row.keyPattern());
    } catch (IllegalArgumentException e) {
      problems.error(at, "key_pattern", String.valueOf(e.getMessage()));
      pattern = new KeyPattern(List.of(), null);
    }
    put(
        "limit_keys",
        new Node.Sequence(at, pattern.keys().stream().map(key -> scalar(key)).toList()));
    Map<String, Node.NodeField> match = new LinkedHashMap<>();
    if (pattern.path() != null) {
      match.put("path", new Node.NodeField(at, scalar(pattern.path())));
    }
    if (JsonColumns.parse(row.match(), at, "match", problems) instanceof Node.Mapping written) {
      match.putAll(written.entries());
    }
    if (row.plan() != null) {
      match.put("plan", new Node.NodeField(at, scalar(row.plan())));
    }
    if (!match.isEmpty()) {
      put("match", new Node.Mapping(at, match));
    }
  }

  private void text(String name, @Nullable String value) {
    if (value != null) {
      put(name, scalar(value));
    }
  }

  private void number(String name, @Nullable BigDecimal value) {
    if (value != null) {
      put(name, new Node.Scalar(at, value.toPlainString(), Node.NodeKind.NUMBER));
    }
  }

  private Node scalar(String text) {
    return new Node.Scalar(at, text, Node.NodeKind.TEXT);
  }

  private void put(String name, Node value) {
    fields.put(name, new Node.NodeField(at, value));
  }
}
