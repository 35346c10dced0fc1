package io.penstock.bench.local;

import io.penstock.bench.contest.Collector;
import io.penstock.bench.report.Estimate;
import io.penstock.bench.report.Findings;
import io.penstock.bench.report.Progress;
import io.penstock.bench.report.Ratio;
import io.penstock.bench.report.ReportTable;
import io.penstock.bench.report.RunLog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/** Measures fairness between two threads on one key, and the latency of their decisions. */
public final class FairnessPart {
  private static final double STEP_SECONDS = 5;
  private static final long WARMUP_MILLIS = 2_000;

  private static final String NOTES =
      """
      Two threads use one key for some seconds; each process of a contender is one round, and figures are medians
      over the rounds. share % is the share of the decisions that the slower thread got: 50 is fair. Latencies
      include one reading of the clock.
      """;

  /** The figures of a process. */
  private record Turn(double sharePercent, double p50, double p99, double p999) {
    static Turn parse(String line) {
      double[] words =
          Arrays.stream(line.strip().split(" ", -1)).mapToDouble(Double::parseDouble).toArray();
      return new Turn(100 * words[0] / (words[0] + words[1]), words[2], words[3], words[4]);
    }
  }

  private final Map<HotContender, List<Turn>> turns = new EnumMap<>(HotContender.class);

  private FairnessPart() {}

  public static Findings measure(boolean quick, RunLog log)
      throws IOException, InterruptedException {
    FairnessPart part = new FairnessPart();
    part.measure(quick ? 1 : 5, quick ? 500 : 2_000, log);
    return new Findings(List.of(part.table()), NOTES, part.ratios());
  }

  private void measure(int rounds, long millis, RunLog log)
      throws IOException, InterruptedException {
    List<HotContender> order = new ArrayList<>(List.of(HotContender.values()));
    Progress progress = new Progress(rounds * order.size(), STEP_SECONDS);
    for (int round = 1; round <= rounds; round++) {
      for (HotContender contender : order) {
        progress.next("fairness: %s, round %d of %d".formatted(contender.label, round, rounds));
        Turn turn =
            Turn.parse(
                ProbeProcess.run(
                    FairnessProbe.class,
                    List.of(Collector.G1.option(), "-Xms1g", "-Xmx1g"),
                    contender.name(),
                    "" + WARMUP_MILLIS,
                    "" + millis));
        turns.computeIfAbsent(contender, unused -> new ArrayList<>()).add(turn);
        log.add("hot key, 2 threads", contender.label, round, "share %", turn.sharePercent);
        log.add("hot key, 2 threads", contender.label, round, "p50 ns", turn.p50);
        log.add("hot key, 2 threads", contender.label, round, "p99 ns", turn.p99);
        log.add("hot key, 2 threads", contender.label, round, "p99.9 ns", turn.p999);
      }
      Collections.reverse(order);
    }
    progress.done();
  }

  private ReportTable table() {
    ReportTable table =
        new ReportTable(
            "hot key, allowed, 2 threads",
            "",
            "share %",
            "min..max",
            "p50 ns",
            "p99 ns",
            "p99.9 ns");
    for (HotContender contender : turns.keySet()) {
      List<Double> shares = figures(contender, Turn::sharePercent);
      table.add(
          contender.label,
          format("%.1f", Estimate.median(shares)),
          format("%.1f..%.1f", Collections.min(shares), Collections.max(shares)),
          format("%,.0f", Estimate.median(figures(contender, Turn::p50))),
          format("%,.0f", Estimate.median(figures(contender, Turn::p99))),
          format("%,.0f", Estimate.median(figures(contender, Turn::p999))));
    }
    return table;
  }

  private List<Ratio> ratios() {
    return List.of(
        Ratio.of(
            "local.hot.share", Estimate.of(figures(HotContender.PENSTOCK, Turn::sharePercent))),
        Ratio.of("local.hot.p999-nanos", Estimate.of(figures(HotContender.PENSTOCK, Turn::p999))));
  }

  private List<Double> figures(HotContender contender, Function<Turn, Double> of) {
    return Objects.requireNonNull(turns.get(contender)).stream().map(of).toList();
  }

  private static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
