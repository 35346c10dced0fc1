package io.penstock.server.database;

import io.penstock.policy.Rule;
import io.penstock.policy.load.Located;
import io.penstock.policy.load.Location;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.OrderedRule;
import io.penstock.policy.load.Problem;
import io.penstock.policy.load.Problems;
import io.penstock.policy.load.RuleCandidate;
import io.penstock.policy.load.RuleReader;
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
      RuleContent content,
      @Nullable OrderedRule rule,
      List<Problem> problems,
      List<Problem> warnings) {}

  /** A row and its active rule. */
  private record ActiveRow(StoredRule row, OrderedRule rule) {}

  private Map<Long, ParsedRow> parsed = new HashMap<>();
  private Map<Long, ActiveRow> active = new HashMap<>();

  /** Returns the rules of {@code rows}, each with its fallback, the last valid version. */
  List<RuleCandidate> of(List<StoredRule> rows) {
    Map<Long, ParsedRow> current = new HashMap<>();
    List<RuleCandidate> candidates = new ArrayList<>(rows.size());
    for (StoredRule row : rows) {
      ParsedRow known = parsed.get(row.id());
      ParsedRow read = known != null && known.content.equals(row.content()) ? known : read(row);
      current.put(row.id(), read);
      ActiveRow before = active.get(row.id());
      candidates.add(
          new RuleCandidate(
              read.rule, before == null ? null : before.rule, read.problems, read.warnings));
    }
    parsed = current;
    return candidates;
  }

  /** Records which rules are active; returns their rows, some of them in an earlier version. */
  List<StoredRule> activate(List<StoredRule> rows, List<OrderedRule> orderedRules) {
    Map<Long, StoredRule> byId = new HashMap<>();
    rows.forEach(row -> byId.put(row.id(), row));
    Map<Long, ActiveRow> current = new HashMap<>();
    List<StoredRule> activeRows = new ArrayList<>(orderedRules.size());
    for (OrderedRule ordered : orderedRules) {
      ActiveRow before = active.get(ordered.id());
      ParsedRow read = parsed.get(ordered.id());
      StoredRule row = byId.get(ordered.id());
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

  private static ParsedRow read(StoredRule row) {
    Problems problems = new Problems();
    OrderedRule rule = ordered(row, row.location(), problems);
    return new ParsedRow(
        row.content(),
        rule,
        problems.errors().stream().map(RuleColumns::withColumnName).toList(),
        problems.warnings().stream().map(RuleColumns::withColumnName).toList());
  }

  /** Parses the rule of a row; returns null and adds errors if it is invalid. */
  static @Nullable OrderedRule ordered(StoredRule row, Location at, Problems problems) {
    int before = problems.errorCount();
    Located<Node> document = new Located<>(RuleDocument.of(row.content(), at, problems), at, "");
    Located<Rule> rule = RuleReader.read(document, problems);
    return rule == null || problems.errorCount() > before
        ? null
        : new OrderedRule(
            rule, row.id(), row.tierOrder(), row.content().get(RuleColumn.PLAN) == null);
  }
}
