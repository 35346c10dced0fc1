package io.penstock.bench.redis;

import static io.penstock.bench.redis.RedisContender.PENSTOCK;
import static io.penstock.bench.redis.Workload.HOT_KEY;
import static io.penstock.bench.redis.Workload.MANY_KEYS;

import io.penstock.bench.report.Findings;
import io.penstock.bench.report.Progress;
import io.penstock.bench.report.Ratio;
import io.penstock.bench.report.ReportTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Compares a cluster with one server. */
public final class ClusterPart {
  private static final List<Cell> CELLS =
      List.of(
          new Cell(HOT_KEY, 64),
          new Cell(MANY_KEYS, 16),
          new Cell(MANY_KEYS, 64),
          new Cell(MANY_KEYS, 256));

  private static final Cell REFERENCE = new Cell(MANY_KEYS, 256);
  private static final double STEP_SECONDS = 3;

  private static final String NOTES =
      """
      server µs is the total CPU time of all servers. The servers and the callers share the cores of this
      machine, so decisions/s shows the cost of a decision, not the throughput of more machines.
      decisions/s per core is the throughput of a server that has a core to itself; multiplied by the number
      of primaries, that of a cluster.
      """;

  private ClusterPart() {}

  public static Findings measure(boolean quick) throws IOException, InterruptedException {
    long millis = quick ? 500 : 3_000;
    Progress progress = new Progress(3 * CELLS.size(), STEP_SECONDS);
    ReportTable table =
        new ReportTable(
            "a cluster compared with one server",
            "",
            "decisions/call",
            "script µs/call",
            "server µs/decision",
            "bytes/decision",
            "decisions/s",
            "decisions/s per core");
    List<Reading> readings = new ArrayList<>();
    try (RedisServer server = new RedisServer()) {
      readings.add(rows(table, progress, "one server", server.url(), List.of(server), millis));
    }
    for (int size : new int[] {1, 3}) {
      try (RedisCluster cluster = new RedisCluster(size)) {
        String name = size == 1 ? "one primary" : size + " primaries";
        readings.add(rows(table, progress, name, cluster.url(), cluster.servers(), millis));
      }
    }
    progress.done();
    Reading server = readings.get(0);
    Reading one = readings.get(1);
    Reading three = readings.get(2);
    return new Findings(
        List.of(table),
        NOTES,
        List.of(
            Ratio.of(
                "redis.cluster.server-time",
                three.serverMicrosPerRequest() / server.serverMicrosPerRequest()),
            Ratio.of("redis.cluster.three-primaries.one", perSecond(three) / perSecond(one))));
  }

  /** Measures all cells on some servers, and returns the reading of {@link #REFERENCE}. */
  private static Reading rows(
      ReportTable table,
      Progress progress,
      String name,
      String url,
      List<RedisServer> servers,
      long millis)
      throws IOException {
    Reading result = null;
    try (NodeProcess node = new NodeProcess(PENSTOCK, RedisLimits.GENEROUS, url)) {
      node.fill(MANY_KEYS, 64);
      node.ask(HOT_KEY, 64, millis);
      for (Cell cell : CELLS) {
        progress.next(name + ": " + cell);
        Reading reading = Reading.of(servers, node, cell, millis);
        double coreMicros = reading.serverMicrosPerRequest();
        table.add(
            name + ", " + cell,
            format("%.1f", 1 / reading.callsPerRequest()),
            format("%.1f", reading.scriptMicrosPerCall()),
            format("%.2f", coreMicros),
            format("%,.0f", reading.bytesPerRequest()),
            format("%,.0f", perSecond(reading)),
            format("%,.0f", 1e6 / coreMicros));
        result = cell.equals(REFERENCE) ? reading : result;
      }
    }
    if (result == null) {
      throw new IllegalStateException("missing measurement: " + REFERENCE);
    }
    return result;
  }

  private static double perSecond(Reading reading) {
    return 1e9 / reading.nanosPerRequest();
  }

  private static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
