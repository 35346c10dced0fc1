package io.penstock.bench.policy;

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
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Measures the evaluation of a policy by number of rules. */
public final class PolicyPart {
  private static final int FEW = 10;
  private static final int MANY = 1_000;
  private static final int SOME = 100;
  private static final int MAX = 100_000;
  private static final int[] SIZES = {FEW, SOME, MANY, 10_000, MAX};
  private static final Set<Integer> COMPARED = Set.of(FEW, SOME, MANY, MAX);
  private static final int MAX_THREADS = 2;

  private static final String NOTES =
      """
      An evaluation selects the rules for a request of one of 10,000 users, decides it in process and
      returns the outcome of each rule. The strings cache their hash codes from round to round. All rules
      are indexed: none has a wildcard early in its path or in its host, a path within a named group, or a
      subject that differs from most tiers of its group.
      """;

  private PolicyPart() {}

  public static Findings measure(boolean quick, RunLog log) {
    List<Entry> entries =
        IntStream.rangeClosed(1, MAX_THREADS).boxed().flatMap(PolicyPart::row).toList();
    Standings standings = new Contest(Schedule.of(quick).withLongWarmup(), log).run(entries);
    return new Findings(
        standings.tables(),
        NOTES,
        List.of(
            Ratio.of(
                "policy.10-rules.vs.1000-rules", standings.ratio(entry(FEW, 1), entry(MANY, 1))),
            Ratio.of(
                "policy.100-rules.vs.100000-rules", standings.ratio(entry(SOME, 1), entry(MAX, 1))),
            Ratio.bytesPerOp(
                "policy.alloc", standings.maxBytesPerOp(entries.toArray(Entry[]::new)))),
        List.of(plot(standings)));
  }

  private static Curves plot(Standings standings) {
    List<Point> points =
        IntStream.of(SIZES)
            .mapToObj(
                rules -> new Point(rules, 1e9 / standings.score(entry(rules, 1)).opsPerSecond()))
            .toList();
    return new Curves(
        "rules",
        "In-process evaluation, by number of rules",
        "rules",
        "ns",
        List.of(new Curve("Penstock", points)));
  }

  private static Stream<Entry> row(int threads) {
    return IntStream.of(SIZES).mapToObj(rules -> entry(rules, threads));
  }

  private static Entry entry(int rules, int threads) {
    return new Entry(
        new Row("policy with three applicable rules, allowed", ExpectedOutcome.ALLOWED, threads),
        String.format(Locale.ROOT, "%,d rules", rules),
        Evaluation.class.getName() + ".decide",
        Map.of("rules", "" + rules),
        threads == 1 && COMPARED.contains(rules) ? Repetition.DECISIVE : Repetition.NORMAL);
  }
}
