package io.penstock.policy.replay;

import static io.penstock.policy.report.TextTable.count;
import static io.penstock.policy.report.TextTable.percent;

import io.penstock.policy.Mode;
import io.penstock.policy.accesslog.SafeText;
import io.penstock.policy.report.Sparkline;
import io.penstock.policy.report.TextTable;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Formats the result of a replay for terminals. */
public final class ReplayText {
  private static final int MAX_NAMES = 5;

  private ReplayText() {}

  /** Returns the lines of a report, without control characters. */
  public static List<String> lines(ReplayReport report) {
    List<String> lines = new ArrayList<>();
    lines.add(ReadNotes.summary(report.span(), report.read()));
    ReadNotes.notes(report.span(), report.read()).forEach(note -> lines.add("note: " + note));
    for (PolicyReport policy : report.policies()) {
      lines.add("");
      addPolicy(policy, report.span().requests(), lines);
    }
    ChangeTally.PolicyChange change = report.change();
    if (change != null) {
      lines.add("");
      lines.add(change(report, change));
      TextTable rules = new TextTable("rule", "denied before", "denied after", "difference");
      RuleDifference.of(report)
          .forEach(each -> rules.row(each.rule(), each.before(), each.after(), each.difference()));
      lines.addAll(rules.lines());
      addKeys("newly denied", change.deniedKeys(), lines);
      addKeys("no longer denied", change.allowedKeys(), lines);
    }
    return lines;
  }

  static String change(ReplayReport report, ChangeTally.PolicyChange change) {
    return "From "
        + report.policies().get(0).name()
        + " to "
        + report.policies().get(1).name()
        + ": "
        + count(change.newlyDenied())
        + " requests newly denied, "
        + count(change.newlyAllowed())
        + " no longer denied";
  }

  private static void addPolicy(PolicyReport policy, long requests, List<String> lines) {
    lines.add(summary(policy, requests));
    TextTable table =
        new TextTable("rule", "mode", "requests", "denied", "", "keys", "keys denied");
    for (RuleReport rule : policy.rules()) {
      table.row(
          rule.rule().name(),
          mode(rule.mode()),
          count(rule.requests()),
          count(rule.denied()),
          percent(rule.denied(), rule.requests()),
          count(rule.keys()),
          count(rule.deniedKeys()));
    }
    lines.addAll(table.lines());
    lines.addAll(unsupplied(policy, requests));
    for (RuleReport rule : policy.rules()) {
      warning(rule).forEach(lines::add);
      if (rule.denied() > 0) {
        lines.add("");
        lines.add(rule.rule().name() + ", denied over time and worst keys:");
        addTimeline(rule.timeline(), lines);
        TextTable worst = new TextTable("key", "requests", "denied", "");
        rule.worst()
            .forEach(
                key ->
                    worst.row(
                        key.key().isEmpty() ? "(all requests)" : key.key(),
                        count(key.requests()),
                        count(key.denied()),
                        percent(key.denied(), key.requests())));
        lines.addAll(worst.lines());
      }
    }
  }

  private static void addTimeline(List<Timeline.Interval> timeline, List<String> lines) {
    List<Long> denied = timeline.stream().map(Timeline.Interval::denied).toList();
    Timeline.Interval last = timeline.get(timeline.size() - 1);
    lines.add("  " + Sparkline.of(denied));
    lines.add(
        "  "
            + Instant.ofEpochSecond(timeline.get(0).startSeconds())
            + " to "
            + Instant.ofEpochSecond(last.startSeconds() + last.seconds())
            + "; the highest bar is "
            + count(Sparkline.max(denied))
            + " denied within "
            + Duration.ofSeconds(last.seconds() * Sparkline.joined(denied.size()))
                .toString()
                .substring(2)
                .toLowerCase(Locale.ROOT));
  }

  static String summary(PolicyReport policy, long requests) {
    return SafeText.of(policy.name())
        + ": "
        + count(policy.denied())
        + " of "
        + count(requests)
        + " requests denied ("
        + percent(policy.denied(), requests)
        + ")"
        + (policy.delayed() > 0 ? ", " + count(policy.delayed()) + " delayed" : "")
        + (policy.rejected() > 0 ? ", " + count(policy.rejected()) + " with a rejected path" : "")
        + ", "
        + count(policy.unlimited())
        + " without a limit";
  }

  /** Returns a warning for each attribute of the policy that the log lacks. */
  static List<String> unsupplied(PolicyReport policy, long requests) {
    return requests == 0
        ? List.of()
        : policy.unsupplied().stream()
            .map(
                each ->
                    "warning: no request of the log has "
                        + each.attribute()
                        + " (used by "
                        + names(each.rules())
                        + "), so the result differs from production; --field "
                        + each.attribute()
                        + "=FIELD names the field of the log")
            .toList();
  }

  private static String names(List<String> rules) {
    int more = rules.size() - MAX_NAMES;
    return rules.isEmpty()
        ? "exempt"
        : String.join(", ", rules.subList(0, Math.min(rules.size(), MAX_NAMES)))
            + (more > 0 ? " and " + more + " more rules" : "");
  }

  /** Returns a warning if a rule applied to no request, or couldn't for lack of a key. */
  static List<String> warning(RuleReport rule) {
    if (rule.skipped() > 0) {
      return List.of(
          "warning: "
              + rule.rule().name()
              + " did not apply to "
              + count(rule.skipped())
              + " requests, because they lack a part of its key "
              + rule.rule().limitKeys());
    }
    return rule.requests() == 0
        ? List.of("warning: " + rule.rule().name() + " applied to no request")
        : List.of();
  }

  static String mode(Mode mode) {
    return mode.name().toLowerCase(Locale.ROOT);
  }

  private static void addKeys(String title, List<KeyCount> keys, List<String> lines) {
    if (!keys.isEmpty()) {
      TextTable table = new TextTable(title, "requests");
      keys.forEach(key -> table.row(key.key(), count(key.denied())));
      lines.addAll(table.lines());
    }
  }
}
