package io.penstock.bench.redis;

import io.penstock.bench.report.Bars;
import io.penstock.bench.report.Findings;
import io.penstock.bench.report.Plot;
import io.penstock.bench.report.Progress;
import io.penstock.bench.report.Ratio;
import io.penstock.bench.report.Table;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * How many requests contenders allow that try for a while, from one process and from several. The
 * server shares its clock with the processes, because it shares the machine.
 */
public final class OverGrantPart {
  private static final int CALLERS = 64;
  private static final int[] PROCESSES = {1, 3};

  /**
   * 3 seconds, and as long as can be so that the last token is heard of: the next would come at
   * 3.1. Callers who are denied without asking Redis keep the cores busy, so that one of 192 who
   * gets it may have to wait for its turn.
   */
  private static final long MILLIS = 3_095;

  private static final int MAX = Terms.TIGHT.burst + 3 * Terms.TIGHT.tokens;
  private static final long WARMUP_MILLIS = 500;
  private static final double STEP_SECONDS = 7;

  private static final String NOTES =
      """
      burst 10, rate 10/s, 3 s from the first grant by the server's clock: at most %d are right.
      Less than nothing over: so many fewer were allowed; what is out on lease elsewhere may be missing.
      A grant that its caller hears of too late, because others keep the cores busy, is not counted.
      Callers ask again at once, allowed or not. Penstock knows for how long a denial holds and does not
      ask Redis meanwhile. Redisson has no burst: 10 in any second are right, which is %d at most, too.
      """
          .formatted(MAX, MAX);

  private OverGrantPart() {}

  /** Quick or not, it takes the same. */
  public static Findings measure(boolean quick) throws IOException, InterruptedException {
    List<Table> tables = new ArrayList<>();
    List<Ratio> ratios = new ArrayList<>();
    List<Plot> plots = new ArrayList<>();
    int total = PROCESSES.length * RedisContender.values().length;
    Progress progress = new Progress(total, STEP_SECONDS);
    for (int processes : PROCESSES) {
      String where = processes == 1 ? "1 process" : processes + " processes";
      Table table =
          new Table(
              "over-grant, hot_key, %d callers in each of %s".formatted(CALLERS, where),
              "",
              "requests",
              "allowed",
              "over_grant %",
              "late or given up");
      Bars.Builder bars = new Bars.Builder();
      for (RedisContender contender : RedisContender.values()) {
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
              "Requests allowed where %d are right".formatted(MAX),
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
        NodeProcess node = new NodeProcess(contender, Terms.TIGHT, server.url());
        nodes.add(node);
        node.ask(Workload.PER_USER, CALLERS, WARMUP_MILLIS);
      }
      long end = nodes.get(0).first() + MILLIS;
      nodes.forEach(node -> node.askUntil(end, CALLERS));
      Tally sum = new Tally(1, 0, 0, 0, 0);
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
