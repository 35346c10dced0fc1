package io.penstock.server.database;

import io.penstock.FailurePolicy;
import io.penstock.policy.Rule;
import io.penstock.policy.load.Candidate;
import io.penstock.policy.load.Fields;
import io.penstock.policy.load.Location;
import io.penstock.policy.load.LoneRule;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.Placed;
import io.penstock.policy.load.Problem;
import io.penstock.policy.load.Problems;
import io.penstock.policy.load.Standing;
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
  private record Read(RuleContent content, @Nullable Standing rule, List<Problem> problems) {}

  /** A row whose rule was in force, and that rule. */
  private record Good(RuleRow row, Standing rule) {}

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
  List<Candidate> of(List<RuleRow> rows) {
    Map<Long, Read> now = new HashMap<>();
    List<Candidate> candidates = new ArrayList<>(rows.size());
    for (RuleRow row : rows) {
      Read known = reads.get(row.id());
      Read read = known != null && known.content.equals(row.content()) ? known : read(row);
      now.put(row.id(), read);
      Good before = good.get(row.id());
      candidates.add(new Candidate(read.rule, before == null ? null : before.rule, read.problems));
    }
    reads = now;
    return candidates;
  }

  /** Notes which rules are in force; returns their rows, of earlier versions for some. */
  List<RuleRow> inForce(List<RuleRow> rows, List<Standing> standings) {
    Map<Long, RuleRow> byId = new HashMap<>();
    rows.forEach(row -> byId.put(row.id(), row));
    Map<Long, Good> now = new HashMap<>();
    List<RuleRow> inForce = new ArrayList<>(standings.size());
    for (Standing standing : standings) {
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
    Standing rule = standing(row, canBeLocal, problems);
    return new Read(
        row.content(), rule, problems.errors().stream().map(RuleColumns::named).toList());
  }

  /**
   * The rule of a row; null, and errors, if it has none.
   *
   * @param canBeLocal whether rules may have {@code on_store_failure: local}
   */
  static @Nullable Standing standing(RuleRow row, boolean canBeLocal, Problems problems) {
    Location at = Location.of(row.place());
    int before = problems.errorCount();
    Placed<Node> document = new Placed<>(RuleDocument.of(row.content(), at, problems), at, "");
    Placed<Rule> rule = read(document, canBeLocal, problems);
    return rule == null || problems.errorCount() > before
        ? null
        : new Standing(rule, row.id(), row.content().tier().order(), row.content().plan() == null);
  }

  /** The rule in a document, as far as this process can have it in force; else null, and errors. */
  static @Nullable Placed<Rule> read(Placed<Node> document, boolean canBeLocal, Problems problems) {
    Placed<Rule> rule = LoneRule.read(document, problems);
    if (rule != null && !canBeLocal && rule.value().handling().onFailure() == FailurePolicy.LOCAL) {
      Fields fields = Fields.of(document, problems);
      if (fields != null) {
        fields.error("on_store_failure", "local needs the setting nodes");
      }
      return null;
    }
    return rule;
  }
}
