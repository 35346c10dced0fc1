package io.penstock.bench.redis;

import io.penstock.bench.report.Curves;
import io.penstock.bench.report.Curves.Curve;
import io.penstock.bench.report.Curves.Point;
import io.penstock.bench.report.Estimate;
import io.penstock.bench.report.Findings;
import io.penstock.bench.report.Progress;
import io.penstock.bench.report.ReportTable;
import io.penstock.bench.report.RunLog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/** Measures decisions by one Redis by number of processes. */
public final class NodesPart {
  private static final int MAX = 4;
  private static final int CALLERS = 32;
  private static final List<RedisContender> CONTENDERS =
      List.of(RedisContender.PENSTOCK, RedisContender.LUA_EVAL_SHA);
  private static final List<Workload> WORKLOADS = List.of(Workload.HOT_KEY, Workload.MANY_KEYS);
  private static final double STEP_SECONDS = 2;

  private static final String NOTES =
      """
      Each process has %d callers, and all use the same keys. The processes and Redis share the cores of one
      machine, so more processes increase the throughput only while cores are idle.
      """
          .formatted(CALLERS);

  /** A row of the table. */
  private record NodesRow(Workload workload, RedisContender contender) {
    @Override
    public String toString() {
      return workload.label + ", " + contender.label;
    }
  }

  private final Map<NodesRow, List<List<Double>>> rates = new LinkedHashMap<>();

  private final RunLog log;

  private NodesPart(RunLog log) {
    this.log = log;
  }

  public static Findings measure(boolean quick, RunLog log)
      throws IOException, InterruptedException {
    NodesPart part = new NodesPart(log);
    part.measure(quick ? 1 : 3, quick ? 500 : 1_500);
    return new Findings(List.of(part.table()), NOTES, List.of(), List.of(part.plot()));
  }

  private void measure(int rounds, long millis) throws IOException, InterruptedException {
    Progress progress =
        new Progress(CONTENDERS.size() * (1 + rounds * MAX * WORKLOADS.size()), STEP_SECONDS);
    List<NodeProcess> all = new ArrayList<>();
    try (RedisServer server = new RedisServer()) {
      for (RedisContender contender : CONTENDERS) {
        progress.next("warm-up: " + contender.label);
        for (int i = 0; i < MAX; i++) {
          NodeProcess node = new NodeProcess(contender, RedisLimits.GENEROUS, server.url());
          all.add(node);
          node.ask(Workload.HOT_KEY, CALLERS, 2 * millis);
          node.ask(Workload.MANY_KEYS, CALLERS, millis);
        }
      }
      List<RedisContender> turns = new ArrayList<>(CONTENDERS);
      for (int round = 1; round <= rounds; round++) {
        for (Workload workload : WORKLOADS) {
          for (int count = 1; count <= MAX; count++) {
            for (RedisContender contender : turns) {
              progress.next("%d of %s, round %d".formatted(count, contender.label, round));
              List<NodeProcess> nodes =
                  all.stream().filter(node -> node.contender() == contender).limit(count).toList();
              double rate = rate(nodes, workload, millis);
              add(new NodesRow(workload, contender), count, rate);
              String row = workload.label + ", processes: " + count;
              log.add(row, contender.label, round, "decisions/s", rate);
            }
            Collections.reverse(turns);
          }
        }
        Collections.reverse(turns);
      }
    } finally {
      all.forEach(NodeProcess::close);
    }
    progress.done();
  }

  /** Returns the decisions per second of some nodes together. */
  private static double rate(List<NodeProcess> asking, Workload workload, long millis)
      throws IOException {
    asking.forEach(node -> node.begin(workload, CALLERS, millis));
    Tally sum = Tally.NOTHING;
    for (NodeProcess node : asking) {
      sum = sum.plus(node.tally());
    }
    return 1e9 * sum.requests() / sum.nanos();
  }

  private void add(NodesRow row, int count, double rate) {
    List<List<Double>> byCount =
        rates.computeIfAbsent(row, unused -> Stream.generate(NodesPart::list).limit(MAX).toList());
    byCount.get(count - 1).add(rate);
  }

  private static List<Double> list() {
    return new ArrayList<>();
  }

  private double median(NodesRow row, int count) {
    return Estimate.median(Objects.requireNonNull(rates.get(row)).get(count - 1));
  }

  private ReportTable table() {
    ReportTable table =
        new ReportTable("decisions per second, by number of processes", "", "1", "2", "3", "4");
    for (NodesRow row : rates.keySet()) {
      String[] cells = new String[MAX + 1];
      cells[0] = row.toString();
      for (int count = 1; count <= MAX; count++) {
        cells[count] = String.format(Locale.ROOT, "%,.0f", median(row, count));
      }
      table.add(cells);
    }
    return table;
  }

  private Curves plot() {
    List<Curve> curves = new ArrayList<>();
    for (NodesRow row : rates.keySet()) {
      List<Point> points = new ArrayList<>();
      for (int count = 1; count <= MAX; count++) {
        points.add(new Point(count, median(row, count)));
      }
      curves.add(new Curve(row.toString(), points));
    }
    return new Curves(
        "nodes",
        "Decisions of one Redis, by number of processes",
        "processes",
        "per second",
        curves);
  }
}
