package io.penstock.policy.replay;

import static io.penstock.policy.report.TextTable.count;
import static io.penstock.policy.report.TextTable.percent;

import io.penstock.policy.report.HtmlPage;
import io.penstock.policy.report.SvgPlot;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Formats the result of a replay as a page. */
public final class ReplayHtml {
  private ReplayHtml() {}

  /** Returns the page. */
  public static String of(ReplayReport report) {
    HtmlPage page = new HtmlPage("Penstock replay");
    page.paragraph(ReadNotes.summary(report.span(), report.read()));
    ReadNotes.notes(report.span(), report.read()).forEach(page::note);
    ChangeTally.PolicyChange change = report.change();
    if (change != null) {
      page.heading("Change").paragraph(ReplayText.change(report, change));
      page.table(
          List.of("rule", "denied before", "denied after", "difference"),
          RuleDifference.of(report).stream()
              .map(each -> List.of(each.rule(), each.before(), each.after(), each.difference()))
              .toList());
      addKeys(page, "newly denied", change.deniedKeys());
      addKeys(page, "no longer denied", change.allowedKeys());
    }
    for (PolicyReport policy : report.policies()) {
      addPolicy(page, policy, report.span().requests());
    }
    return page.text();
  }

  private static void addPolicy(HtmlPage page, PolicyReport policy, long requests) {
    page.heading(policy.name()).paragraph(ReplayText.summary(policy, requests));
    page.plot("Requests and denials over time", plot(policy.timeline()));
    List<List<String>> rows = new ArrayList<>();
    for (RuleReport rule : policy.rules()) {
      rows.add(
          List.of(
              rule.rule().name(),
              ReplayText.mode(rule.mode()),
              count(rule.requests()),
              count(rule.denied()),
              percent(rule.denied(), rule.requests()),
              count(rule.keys()),
              count(rule.deniedKeys())));
    }
    page.table(List.of("rule", "mode", "requests", "denied", "share", "keys", "keys denied"), rows);
    ReplayText.unsupplied(policy, requests).forEach(page::note);
    for (RuleReport rule : policy.rules()) {
      ReplayText.warning(rule).forEach(page::note);
      if (rule.denied() > 0) {
        page.subheading(rule.rule().name())
            .plot(
                "Requests and denials of " + rule.rule().name() + " over time",
                plot(rule.timeline()));
        addKeys(page, rule.worst());
      }
    }
  }

  private static SvgPlot plot(List<Timeline.Interval> intervals) {
    return SvgPlot.bars(
        intervals.stream()
            .map(each -> Instant.ofEpochSecond(each.startSeconds()).toString())
            .toList(),
        intervals.stream().map(Timeline.Interval::requests).toList(),
        intervals.stream().map(Timeline.Interval::denied).toList());
  }

  private static void addKeys(HtmlPage page, List<KeyCount> keys) {
    page.table(
        List.of("key", "requests", "denied", "share"),
        keys.stream()
            .map(
                key ->
                    List.of(
                        key.key(),
                        count(key.requests()),
                        count(key.denied()),
                        percent(key.denied(), key.requests())))
            .toList());
  }

  private static void addKeys(HtmlPage page, String title, List<KeyCount> keys) {
    if (!keys.isEmpty()) {
      page.table(
          List.of(title, "requests"),
          keys.stream().map(key -> List.of(key.key(), count(key.denied()))).toList());
    }
  }
}
