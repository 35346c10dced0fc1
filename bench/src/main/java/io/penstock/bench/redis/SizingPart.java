package io.penstock.bench.redis;

import static io.penstock.bench.redis.RedisContender.PENSTOCK;
import static io.penstock.bench.redis.Workload.HOT_KEY;
import static io.penstock.bench.redis.Workload.MANY_KEYS;

import io.penstock.bench.contest.FailedRunException;
import io.penstock.bench.report.Findings;
import io.penstock.bench.report.Progress;
import io.penstock.bench.report.ReportTable;
import io.penstock.bench.report.RunLog;
import java.io.IOException;
import java.util.List;
import java.util.Locale;

/** Measures the CPU time per decision and the memory per key in Redis. */
public final class SizingPart {
  private static final List<Cell> CELLS =
      List.of(
          new Cell(HOT_KEY, 1),
          new Cell(HOT_KEY, 16),
          new Cell(HOT_KEY, 64),
          new Cell(HOT_KEY, 256),
          new Cell(MANY_KEYS, 1),
          new Cell(MANY_KEYS, 16),
          new Cell(MANY_KEYS, 64),
          new Cell(MANY_KEYS, 256));

  private static final double STEP_SECONDS = 3;

  private static final String NOTES =
      """
      script µs is the time of the script by INFO commandstats, server µs the total CPU time of
      redis-server, including reading calls and writing replies. many_keys cycles through 100,000 keys.
      Memory is used_memory, including hash tables and expirations.
      """;

  private SizingPart() {}

  public static Findings measure(boolean quick, RunLog log)
      throws IOException, InterruptedException {
    long millis = quick ? 500 : 2_000;
    Progress progress = new Progress(CELLS.size() + 1, STEP_SECONDS);
    ReportTable time = timeTable(progress, millis, log);
    progress.next("memory of " + Workload.MANY + " keys");
    ReportTable memory = memoryTable(log);
    progress.done();
    return new Findings(List.of(time, memory), NOTES, List.of());
  }

  private static ReportTable timeTable(Progress progress, long millis, RunLog log)
      throws IOException, InterruptedException {
    ReportTable table =
        new ReportTable(
            "server time of Penstock's decisions",
            "",
            "decisions/call",
            "script µs/call",
            "script µs/decision",
            "server µs/decision",
            "decisions/s");
    try (RedisServer server = new RedisServer();
        NodeProcess node = new NodeProcess(PENSTOCK, RedisLimits.GENEROUS, server.url())) {
      node.fill(MANY_KEYS, 64);
      node.ask(HOT_KEY, 64, millis);
      for (Cell cell : CELLS) {
        progress.next("server time: " + cell);
        Reading reading = Reading.of(server, node, cell, millis);
        reading.log(log, cell.toString(), PENSTOCK.label, 1);
        table.add(
            cell.toString(),
            format("%.1f", 1 / reading.callsPerRequest()),
            format("%.1f", reading.scriptMicrosPerCall()),
            format("%.2f", reading.scriptMicrosPerRequest()),
            format("%.2f", reading.serverMicrosPerRequest()),
            format("%,.0f", 1e9 / reading.nanosPerRequest()));
      }
    }
    return table;
  }

  private static ReportTable memoryTable(RunLog log) throws IOException, InterruptedException {
    ReportTable table =
        new ReportTable(
            "memory of Penstock's buckets",
            "",
            "bytes/key in total",
            "MEMORY USAGE",
            "key bytes",
            "value bytes");
    try (RedisServer server = new RedisServer();
        NodeProcess node = new NodeProcess(PENSTOCK, RedisLimits.SLOW, server.url())) {
      node.ask(HOT_KEY, 1, 100);
      double before = server.counters().usedMemory();
      long keysBefore = server.commands().dbsize();
      node.fill(MANY_KEYS, 64);
      double used = server.counters().usedMemory() - before;
      long keys = server.commands().dbsize() - keysBefore;
      if (keys < Workload.MANY - 1) {
        throw new FailedRunException("only %d of %d keys were kept".formatted(keys, Workload.MANY));
      }
      log.add("memory", PENSTOCK.label, 1, "bytes/key", used / keys);
      String name = server.commands().randomkey();
      table.add(
          format("%,d keys", keys),
          format("%.1f", used / keys),
          "" + server.commands().memoryUsage(name),
          "" + name.length(),
          "" + server.commands().strlen(name));
    }
    return table;
  }

  private static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
