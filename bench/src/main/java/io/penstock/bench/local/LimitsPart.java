package io.penstock.bench.local;

import io.penstock.bench.contest.Contest;
import io.penstock.bench.contest.Entry;
import io.penstock.bench.contest.Entry.Repetition;
import io.penstock.bench.contest.ExpectedOutcome;
import io.penstock.bench.contest.Row;
import io.penstock.bench.contest.Schedule;
import io.penstock.bench.contest.Standings;
import io.penstock.bench.report.Curves;
import io.penstock.bench.report.Curves.Curve;
import io.penstock.bench.report.Curves.Point;
import io.penstock.bench.report.Findings;
import io.penstock.bench.report.Ratio;
import io.penstock.bench.report.RunLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Measures in-process decisions by number of limits per request. */
public final class LimitsPart {
  private static final List<Integer> LIMITS = List.of(1, 2, 3, 5, 10);
  private static final int THREADS = 2;

  private static final String NOTES =
      """
      A request takes from all of its limits or from none. Each thread uses its own key.
      """;

  private LimitsPart() {}

  public static Findings measure(boolean quick, RunLog log) {
    List<Entry> entries = LIMITS.stream().map(LimitsPart::entry).toList();
    Standings standings = new Contest(Schedule.of(quick), log).run(entries);
    List<Point> points = new ArrayList<>();
    for (int i = 0; i < LIMITS.size(); i++) {
      double nanos = 1e9 * THREADS / standings.score(entries.get(i)).opsPerSecond();
      points.add(new Point(LIMITS.get(i), nanos));
    }
    return new Findings(
        standings.tables(),
        NOTES,
        List.of(
            Ratio.of(
                "growth.limits", standings.ratio(entries.get(0), entries.get(entries.size() - 1)))),
        List.of(
            new Curves(
                "limits",
                "In-process decision, by number of limits",
                "limits per request",
                "ns",
                List.of(new Curve("Penstock", points)))));
  }

  private static Entry entry(int limits) {
    return new Entry(
        new Row("limits on one request, allowed", ExpectedOutcome.ALLOWED, THREADS),
        limits + (limits == 1 ? " limit" : " limits"),
        SeveralLimits.class.getName() + ".tryAcquire",
        Map.of("limits", "" + limits),
        Repetition.NORMAL);
  }
}
