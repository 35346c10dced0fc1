package io.penstock.bench.redis;

import io.penstock.bench.report.Findings;
import io.penstock.bench.report.Plot;
import io.penstock.bench.report.Progress;
import io.penstock.bench.report.Ratio;
import io.penstock.bench.report.RunLog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/** Measures decisions by Redis by number of callers in one process. */
public final class CallersPart {
  private static final int[] CALLERS = {1, 4, 16, 64, 256, 1_024};
  private static final int MAX = CALLERS[CALLERS.length - 1];
  private static final List<RedisContender> CONTENDERS =
      List.of(RedisContender.PENSTOCK, RedisContender.LUA_EVAL_SHA);
  private static final List<Workload> WORKLOADS = List.of(Workload.HOT_KEY, Workload.PER_USER);
  private static final double STEP_SECONDS = 2;

  private final Readings readings;
  private final List<Cell> cells =
      WORKLOADS.stream()
          .flatMap(
              workload -> IntStream.of(CALLERS).mapToObj(callers -> new Cell(workload, callers)))
          .toList();

  private CallersPart(RunLog log) {
    this.readings = new Readings(log, "");
  }

  public static Findings measure(boolean quick, RunLog log)
      throws IOException, InterruptedException {
    CallersPart part = new CallersPart(log);
    try (RedisServer server = new RedisServer()) {
      part.measure(server, quick ? 1 : 3, quick ? 500 : 1_200);
      return new Findings(
          part.readings.tables(),
          "server: " + server.describe() + "\n" + RedisContender.NOTES,
          List.of(Ratio.of("growth.callers", part.growth())),
          WORKLOADS.stream()
              .<Plot>map(
                  workload ->
                      part.readings.plot("callers-" + workload.label.replace('_', '-'), workload))
              .toList());
    }
  }

  private void measure(RedisServer server, int rounds, long millis) throws IOException {
    Progress progress = new Progress(rounds * CONTENDERS.size() * (1 + cells.size()), STEP_SECONDS);
    for (int round = 1; round <= rounds; round++) {
      String of = ", round %d of %d".formatted(round, rounds);
      List<NodeProcess> nodes = new ArrayList<>();
      try {
        for (RedisContender contender : CONTENDERS) {
          progress.next("warm-up: " + contender.label + of);
          NodeProcess node = new NodeProcess(contender, RedisLimits.GENEROUS, server.url());
          nodes.add(node);
          node.ask(Workload.HOT_KEY, 64, 3 * millis);
          node.ask(Workload.PER_USER, MAX, 2 * millis);
        }
        if (round % 2 == 0) {
          Collections.reverse(nodes);
        }
        for (Cell cell : cells) {
          for (NodeProcess node : nodes) {
            progress.next(cell + ": " + node.contender().label + of);
            readings.add(cell, node.contender(), Reading.of(server, node, cell, millis));
          }
          Collections.reverse(nodes);
        }
      } finally {
        nodes.forEach(NodeProcess::close);
      }
    }
    progress.done();
  }

  /**
   * Returns the throughput of Penstock with the most callers of one key divided by that of one
   * caller.
   */
  private double growth() {
    return readings.perSecond(new Cell(Workload.HOT_KEY, MAX), RedisContender.PENSTOCK)
        / readings.perSecond(new Cell(Workload.HOT_KEY, 1), RedisContender.PENSTOCK);
  }
}
