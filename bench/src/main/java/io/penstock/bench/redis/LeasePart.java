package io.penstock.bench.redis;

import io.penstock.bench.report.Findings;
import io.penstock.bench.report.Progress;
import io.penstock.bench.report.Ratio;
import io.penstock.bench.report.ReportTable;
import io.penstock.bench.report.RunLog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Measures the use of the tokens of a leased key by three processes with uneven load that exceeds
 * the limit: the share of tokens that are used, and the over-grant. Also with one process that is
 * suspended for longer than its lease and resumed.
 */
public final class LeasePart {
  private static final int[] CALLERS = {32, 8, 1};
  private static final long WARMUP_MILLIS = 500;
  private static final double STEP_SECONDS = 15;

  /** Slightly more than ten windows. */
  private static final long MILLIS = 10_500;

  private static final long STOP_AFTER_MILLIS = 1_500;
  private static final long STOPPED_MILLIS = 5_000;

  private static final String NOTES =
      """
      burst %d, rate %d/s, %s callers; %.1f s from the first grant by the server's clock. used %% is the
      share of the available tokens that were granted. In the rows "one stopped", the process with %d callers
      is suspended for %d s and resumed.
      """
          .formatted(
              RedisLimits.SHARED.burst,
              RedisLimits.SHARED.tokens,
              "32, 8 and 1",
              MILLIS / 1e3,
              CALLERS[1],
              STOPPED_MILLIS / 1_000);

  private LeasePart() {}

  /**
   * Measures the same duration in each run. Without {@code quick} there are three runs, and the
   * worst counts.
   */
  public static Findings measure(boolean quick, RunLog log)
      throws IOException, InterruptedException {
    int runs = quick ? 1 : 3;
    Progress progress = new Progress(2 * runs, STEP_SECONDS);
    ReportTable table =
        new ReportTable(
            "one leased key, three processes", "", "requests", "allowed", "used %", "over %");
    double used = 100;
    double over = 0;
    double overStopped = 0;
    for (int run = 1; run <= runs; run++) {
      progress.next("leases: uneven load, run %d of %d".formatted(run, runs));
      Tally even = spend(false);
      table.add(line("all running", even));
      progress.next("leases: one stopped, run %d of %d".formatted(run, runs));
      Tally stopped = spend(true);
      table.add(line("one stopped", stopped));
      log.add(
          "all running", RedisContender.PENSTOCK_LEASED.label, run, "used %", usedPercent(even));
      log.add(
          "one stopped", RedisContender.PENSTOCK_LEASED.label, run, "used %", usedPercent(stopped));
      used = Math.min(used, usedPercent(even));
      over = Math.max(over, usedPercent(even) - 100);
      overStopped = Math.max(overStopped, usedPercent(stopped) - 100);
    }
    progress.done();
    return new Findings(
        List.of(table),
        NOTES,
        List.of(
            Ratio.of("redis.leased.used", used),
            Ratio.of("redis.leased.overgrant.uneven", over),
            Ratio.of("redis.leased.overgrant.stopped", overStopped)));
  }

  private static Tally spend(boolean stopping) throws IOException, InterruptedException {
    List<NodeProcess> nodes = new ArrayList<>();
    try (RedisServer server = new RedisServer()) {
      for (int callers : CALLERS) {
        NodeProcess node =
            new NodeProcess(RedisContender.PENSTOCK_LEASED, RedisLimits.SHARED, server.url());
        nodes.add(node);
        node.ask(Workload.PER_USER, callers, WARMUP_MILLIS);
      }
      long end = nodes.get(0).first() + MILLIS;
      for (int i = 0; i < CALLERS.length; i++) {
        nodes.get(i).askUntil(end, CALLERS[i]);
      }
      if (stopping) {
        Thread.sleep(STOP_AFTER_MILLIS);
        nodes.get(1).freeze();
        Thread.sleep(STOPPED_MILLIS);
        nodes.get(1).thaw();
      }
      Tally sum = new Tally(1, 0, 0, 0);
      for (NodeProcess node : nodes) {
        sum = sum.plus(node.tally());
      }
      return sum;
    } finally {
      nodes.forEach(NodeProcess::close);
    }
  }

  private static double usedPercent(Tally tally) {
    return 100.0
        * tally.allowed()
        / (RedisLimits.SHARED.burst + MILLIS * RedisLimits.SHARED.tokensPerMilli());
  }

  private static String[] line(String label, Tally tally) {
    return new String[] {
      label,
      String.format(Locale.ROOT, "%,d", tally.requests()),
      "" + tally.allowed(),
      String.format(Locale.ROOT, "%.2f", usedPercent(tally)),
      String.format(Locale.ROOT, "%.2f", Math.max(0, usedPercent(tally) - 100))
    };
  }
}
