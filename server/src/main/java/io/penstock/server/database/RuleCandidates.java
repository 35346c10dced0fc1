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
 * Makes rules of rows, and remembers of each row what was last in force. Rows that have not changed
 * are not read again. Not thread-safe.
 */
final class RuleCandidates {
  /** What was made of a row. */
  private record Read(RuleContent content, @Nullable OrderedRule rule, List<Problem> problems) {}

  /** A row whose rule was in force, and that rule. */
  private record Good(RuleRow row, OrderedRule rule) {}

  private final boolean canBeLocal;
  private Map<Long, Read> reads = new HashMap<>();
  private Map<Long, Good> good = new HashMap<>();

  /**
   * @param canBeLocal whether rules may have {@code on_store_failure: local}
   */
  RuleCandidates(boolean canBeLocal) {
    this.canBeLocal = canBeLocal;
  }

  /** The rules of {@code rows}, each with what stands in for it. */
  List<RuleCandidate> of(List<RuleRow> rows) {
    Map<Long, Read> now = new HashMap<>();
    List<RuleCandidate> candidates = new ArrayList<>(rows.size());
    for (RuleRow row : rows) {
      Read known = reads.get(row.id());
      Read read = known != null && known.content.equals(row.content()) ? known : read(row);
      now.put(row.id(), read);
      Good before = good.get(row.id());
      candidates.add(
          new RuleCandidate(read.rule, before == null ? null : before.rule, read.problems));
    }
    reads = now;
    return candidates;
  }

  /** Notes which rules are in force; returns their rows, of earlier versions for some. */
  List<RuleRow> inForce(List<RuleRow> rows, List<OrderedRule> standings) {
    Map<Long, RuleRow> byId = new HashMap<>();
    rows.forEach(row -> byId.put(row.id(), row));
    Map<Long, Good> now = new HashMap<>();
    List<RuleRow> inForce = new ArrayList<>(standings.size());
    for (OrderedRule standing : standings) {
      Good before = good.get(standing.id());
      Read read = reads.get(standing.id());
      RuleRow row = byId.get(standing.id());
      Good next =
          row != null && read != null && standing.equals(read.rule)
              ? new Good(row, standing)
              : before;
      if (next != null) {
        now.put(standing.id(), next);
        inForce.add(next.row);
      }
    }
    good = now;
    return inForce;
  }

  private Read read(RuleRow row) {
    Problems problems = new Problems();
    OrderedRule rule = standing(row, canBeLocal, problems);
    return new Read(
        row.content(), rule, problems.errors().stream().map(RuleColumns::named).toList());
  }

  /**
   * The rule of a row; null, and errors, if it has none.
   *
   * @param canBeLocal whether rules may have {@code on_store_failure: local}
   */
  static @Nullable OrderedRule standing(RuleRow row, boolean canBeLocal, Problems problems) {
    Location at = Location.of(row.place());
    int before = problems.errorCount();
    Located<Node> document = new Located<>(RuleDocument.of(row.content(), at, problems), at, "");
    Located<Rule> rule = read(document, canBeLocal, problems);
    return rule == null || problems.errorCount() > before
        ? null
        : new OrderedRule(
            rule, row.id(), row.content().tier().order(), row.content().plan() == null);
  }

  /** The rule in a document, as far as this process can have it in force; else null, and errors. */
  static @Nullable Located<Rule> read(
      Located<Node> document, boolean canBeLocal, Problems problems) {
    Located<Rule> rule = SingleRuleReader.read(document, problems);
    if (rule != null
        && !canBeLocal
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
