package io.penstock.server.database;

import io.penstock.FailurePolicy;
import io.penstock.policy.Rule;
import io.penstock.policy.load.Fields;
import io.penstock.policy.load.Located;
import io.penstock.policy.load.Location;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.OrderedRule;
import io.penstock.policy.load.Problem;
import io.penstock.policy.load.Problems;
import io.penstock.policy.load.RuleCandidate;
import io.penstock.policy.load.SingleRuleReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Converts rows to rules, and remembers the last valid version of each row. Unchanged rows are not
 * parsed again. Not thread-safe.
 */
final class RuleCandidates {
  /** The result of parsing a row. */
  private record ParsedRow(
      RuleContent content, @Nullable OrderedRule rule, List<Problem> problems) {}

  /** A row and its active rule. */
  private record ActiveRow(RuleRow row, OrderedRule rule) {}

  private final boolean allowsLocal;
  private Map<Long, ParsedRow> parsed = new HashMap<>();
  private Map<Long, ActiveRow> active = new HashMap<>();

  /**
   * @param allowsLocal whether rules may have {@code on_store_failure: local}
   */
  RuleCandidates(boolean allowsLocal) {
    this.allowsLocal = allowsLocal;
  }

  /** Returns the rules of {@code rows}, each with its fallback, the last valid version. */
  List<RuleCandidate> of(List<RuleRow> rows) {
    Map<Long, ParsedRow> current = new HashMap<>();
    List<RuleCandidate> candidates = new ArrayList<>(rows.size());
    for (RuleRow row : rows) {
      ParsedRow known = parsed.get(row.id());
      ParsedRow read = known != null && known.content.equals(row.content()) ? known : read(row);
      current.put(row.id(), read);
      ActiveRow before = active.get(row.id());
      candidates.add(
          new RuleCandidate(read.rule, before == null ? null : before.rule, read.problems));
    }
    parsed = current;
    return candidates;
  }

  /** Records which rules are active; returns their rows, some of them in an earlier version. */
  List<RuleRow> activate(List<RuleRow> rows, List<OrderedRule> orderedRules) {
    Map<Long, RuleRow> byId = new HashMap<>();
    rows.forEach(row -> byId.put(row.id(), row));
    Map<Long, ActiveRow> current = new HashMap<>();
    List<RuleRow> activeRows = new ArrayList<>(orderedRules.size());
    for (OrderedRule ordered : orderedRules) {
      ActiveRow before = active.get(ordered.id());
      ParsedRow read = parsed.get(ordered.id());
      RuleRow row = byId.get(ordered.id());
      ActiveRow next =
          row != null && read != null && ordered.equals(read.rule)
              ? new ActiveRow(row, ordered)
              : before;
      if (next != null) {
        current.put(ordered.id(), next);
        activeRows.add(next.row);
      }
    }
    active = current;
    return activeRows;
  }

  private ParsedRow read(RuleRow row) {
    Problems problems = new Problems();
    OrderedRule rule = ordered(row, allowsLocal, problems);
    return new ParsedRow(
        row.content(), rule, problems.errors().stream().map(RuleColumns::withColumnName).toList());
  }

  /**
   * Parses the rule of a row; returns null and adds errors if it is invalid.
   *
   * @param allowsLocal whether rules may have {@code on_store_failure: local}
   */
  static @Nullable OrderedRule ordered(RuleRow row, boolean allowsLocal, Problems problems) {
    Location at = Location.of(row.place());
    int before = problems.errorCount();
    Located<Node> document = new Located<>(RuleDocument.of(row.content(), at, problems), at, "");
    Located<Rule> rule = read(document, allowsLocal, problems);
    return rule == null || problems.errorCount() > before
        ? null
        : new OrderedRule(
            rule, row.id(), row.content().tier().order(), row.content().plan() == null);
  }

  /**
   * Parses a rule; returns null and adds errors if it is invalid or this process can't enforce it.
   */
  static @Nullable Located<Rule> read(
      Located<Node> document, boolean allowsLocal, Problems problems) {
    Located<Rule> rule = SingleRuleReader.read(document, problems);
    if (rule != null
        && !allowsLocal
        && rule.value().storeOptions().onFailure() == FailurePolicy.LOCAL) {
      Fields fields = Fields.of(document, problems);
      if (fields != null) {
        fields.error("on_store_failure", "local needs the setting nodes");
      }
      return null;
    }
    return rule;
  }
}
