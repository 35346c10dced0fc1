package io.penstock.policy.advice;

import static io.penstock.policy.report.TextTable.count;
import static io.penstock.policy.report.TextTable.percent;

import io.penstock.policy.replay.ReadNotes;
import io.penstock.policy.report.HtmlPage;
import io.penstock.policy.report.SvgPlot;
import io.penstock.policy.report.SvgPlot.PlotSeries;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Formats advice as a page. */
public final class AdviceHtml {
  private AdviceHtml() {}

  /**
   * Returns the page.
   *
   * @param policy the policy to show at the end
   */
  public static String of(Advice advice, String policy) {
    HtmlPage page = new HtmlPage("Penstock advice");
    page.paragraph(ReadNotes.summary(advice.span(), advice.read()));
    AdviceText.notes(advice).forEach(page::note);
    for (GroupAdvice group : advice.groups()) {
      add(page, group);
    }
    page.heading("Policy").code(policy);
    return page.text();
  }

  private static void add(HtmlPage page, GroupAdvice group) {
    page.heading(AdviceText.title(group));
    page.paragraph(
        "Smallest burst that denies none of the requests of a share of the keys, by rate:");
    List<CurvePoint> points = AdviceText.shown(group);
    page.plot(
        "Burst by rate, " + group.label(),
        SvgPlot.lines(
            points.stream().map(point -> point.rate().toString()).toList(),
            List.of(
                series("p50", points, CurvePoint::p50),
                series("p95", points, CurvePoint::p95),
                series("p99", points, CurvePoint::p99),
                series("p99.9", points, CurvePoint::p999))));
    page.table(
        List.of("suggestion", "rate", "burst", "denied", "share", "keys denied", "share of keys"),
        group.suggestions().stream()
            .map(
                each ->
                    List.of(
                        each.name(),
                        each.rate().toString(),
                        count(each.burst()),
                        count(each.denied()),
                        percent(each.denied(), group.requests()),
                        count(each.deniedKeys()),
                        percent(each.deniedKeys(), group.keys())))
            .toList());
    for (Suggestion suggestion : group.suggestions()) {
      if (!suggestion.worst().isEmpty()) {
        page.paragraph(suggestion.name() + " denies most: " + AdviceText.keys(suggestion.worst()));
      }
    }
  }

  private static PlotSeries series(
      String name, List<CurvePoint> points, ToDoubleFunction<CurvePoint> value) {
    return new PlotSeries(name, points.stream().map(value::applyAsDouble).toList());
  }
}
