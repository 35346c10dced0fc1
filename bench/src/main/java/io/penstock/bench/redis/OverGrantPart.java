package io.penstock.bench.redis;

import io.penstock.bench.report.Bars;
import io.penstock.bench.report.Findings;
import io.penstock.bench.report.Plot;
import io.penstock.bench.report.Progress;
import io.penstock.bench.report.Ratio;
import io.penstock.bench.report.ReportTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Counts the requests that contenders allow under overload, from one process and from several. The
 * server and the processes share a clock, because they share the machine.
 */
public final class OverGrantPart {
  private static final int CALLERS = 64;
  private static final int[] PROCESSES = {1, 3};

  /**
   * 3 seconds, plus as much time as possible for the last grant to arrive: the next token would
   * come at 3.1 s. Callers that are denied without a call to Redis keep the cores busy, so the one
   * of 192 callers that gets the last token may have to wait for a core.
   */
  private static final long MILLIS = 3_095;

  private static final int MAX = RedisLimits.TIGHT.burst + 3 * RedisLimits.TIGHT.tokens;
  private static final long WARMUP_MILLIS = 500;
  private static final double STEP_SECONDS = 7;

  private static final String NOTES =
      """
      burst 10, rate 10/s, 3 s from the first grant by the server's clock: at most %d requests may be allowed.
      A negative over-grant means that fewer were allowed; tokens leased to another process may be unused.
      A grant that reaches its caller too late, because other callers keep the cores busy, is not counted.
      Callers retry immediately, allowed or not. Penstock knows how long a denial holds and does not call
      Redis in the meantime. Redisson has no burst: it may allow 10 in any second, hence at most %d as well.
      """
          .formatted(MAX, MAX);

  private OverGrantPart() {}

  /** Takes the same time with and without {@code quick}. */
  public static Findings measure(boolean quick) throws IOException, InterruptedException {
    List<ReportTable> tables = new ArrayList<>();
    List<Ratio> ratios = new ArrayList<>();
    List<Plot> plots = new ArrayList<>();
    int total = PROCESSES.length * RedisContender.limiters().size();
    Progress progress = new Progress(total, STEP_SECONDS);
    for (int processes : PROCESSES) {
      String where = processes == 1 ? "1 process" : processes + " processes";
      ReportTable table =
          new ReportTable(
              "over-grant, hot_key, %d callers in each of %s".formatted(CALLERS, where),
              "",
              "requests",
              "allowed",
              "over_grant %",
              "late or abandoned");
      Bars.Builder bars = new Bars.Builder();
      for (RedisContender contender : RedisContender.limiters()) {
        progress.next("over-grant: " + contender.label + ", " + where);
        Tally tally = spend(contender, processes);
        table.add(line(contender, tally));
        bars.add(contender.label, (double) tally.allowed());
        String from = processes == 1 ? "one" : "three";
        if (contender == RedisContender.PENSTOCK) {
          ratios.add(Ratio.of("redis.overgrant." + from, overGrantPercent(tally)));
        } else if (contender == RedisContender.PENSTOCK_LEASED) {
          ratios.add(Ratio.of("redis.leased.overgrant." + from, overGrantPercent(tally)));
        }
      }
      tables.add(table);
      plots.add(
          bars.build(
              processes == 1 ? "overgrant-one" : "overgrant",
              "Requests allowed where %d is correct".formatted(MAX),
              "one key, %d callers in each of %s, 3 seconds".formatted(CALLERS, where)));
    }
    progress.done();
    return new Findings(tables, NOTES, ratios, plots);
  }

  private static Tally spend(RedisContender contender, int processes)
      throws IOException, InterruptedException {
    List<NodeProcess> nodes = new ArrayList<>();
    try (RedisServer server = new RedisServer()) {
      for (int i = 0; i < processes; i++) {
        NodeProcess node = new NodeProcess(contender, RedisLimits.TIGHT, server.url());
        nodes.add(node);
        node.ask(Workload.PER_USER, CALLERS, WARMUP_MILLIS);
      }
      long end = nodes.get(0).first() + MILLIS;
      nodes.forEach(node -> node.askUntil(end, CALLERS));
      Tally sum = new Tally(1, 0, 0, 0);
      for (NodeProcess node : nodes) {
        sum = sum.plus(node.tally());
      }
      return sum;
    } finally {
      nodes.forEach(NodeProcess::close);
    }
  }

  private static double overGrantPercent(Tally tally) {
    return 100.0 * (tally.allowed() - MAX) / MAX;
  }

  private static String[] line(RedisContender contender, Tally tally) {
    return new String[] {
      contender.label,
      String.format(Locale.ROOT, "%,d", tally.requests()),
      "" + tally.allowed(),
      String.format(Locale.ROOT, "%.2f", overGrantPercent(tally)),
      String.format(Locale.ROOT, "%,d", tally.gaveUp())
    };
  }
}
