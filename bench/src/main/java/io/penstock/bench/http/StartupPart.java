package io.penstock.bench.http;

import io.penstock.bench.http.BenchRequest.BenchResponse;
import io.penstock.bench.report.Findings;
import io.penstock.bench.report.Progress;
import io.penstock.bench.report.ReportTable;
import io.penstock.bench.report.RunLog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Measures the time until servers accept connections, and their memory when idle. */
public final class StartupPart {
  private static final long IDLE_SECONDS = 3;
  private static final double STEP_SECONDS = 5;

  private static final String NOTES =
      """
      start is the time from the start of the process until it accepts connections. Memory is measured %d s after
      a single request; pages that processes share count in proportion. Java servers have a heap of 256 MB, of
      which only touched pages count.
      """
          .formatted(IDLE_SECONDS);

  /** Starts a server that responds to {@link BenchRequest#FORWARD_AUTH}. */
  private interface ServerStart {
    ServerProcess start() throws IOException, InterruptedException;
  }

  /** A server and its figures in each round. */
  private record Contender(
      String name, ServerStart start, Rates startMillis, Rates idleMegabytes) {}

  private final List<Contender> contenders = new ArrayList<>();
  private final RunLog log;

  private StartupPart(RunLog log) {
    this.log = log;
  }

  public static Findings measure(boolean quick, RunLog log)
      throws IOException, InterruptedException {
    StartupPart part = new StartupPart(log);
    part.enter();
    part.measure(quick ? 1 : 5);
    return new Findings(List.of(part.table()), NOTES, List.of());
  }

  private void enter() throws IOException, InterruptedException {
    BenchResponse reply;
    try (ServerProcess penstock = ServerProcess.penstock()) {
      reply = BenchRequest.FORWARD_AUTH.send(penstock.port());
    }
    add("Penstock", ServerProcess::penstock);
    add("bare Vert.x", () -> ServerProcess.bare(reply));
    if (Nginx.isInstalled()) {
      add("nginx limit_req", () -> ServerProcess.nginx(Nginx.limiting(reply)));
    }
    if (HaProxy.isInstalled()) {
      add("HAProxy stick table", () -> ServerProcess.haProxy(HaProxy.responding(reply)));
    }
  }

  private void add(String name, ServerStart start) {
    contenders.add(new Contender(name, start, new Rates(), new Rates()));
  }

  private void measure(int rounds) throws IOException, InterruptedException {
    Progress progress = new Progress(rounds * contenders.size(), STEP_SECONDS);
    List<Contender> turns = new ArrayList<>(contenders);
    for (int round = 1; round <= rounds; round++) {
      for (Contender contender : turns) {
        String name = contender.name;
        progress.next("start-up: %s, round %d of %d".formatted(name, round, rounds));
        try (ServerProcess server = contender.start.start()) {
          double startMillis = server.startTime().toNanos() / 1e6;
          BenchResponse unused = BenchRequest.FORWARD_AUTH.send(server.port());
          TimeUnit.SECONDS.sleep(IDLE_SECONDS);
          double megabytes = server.memoryBytes() / 1e6;
          contender.startMillis.add(startMillis);
          contender.idleMegabytes.add(megabytes);
          log.add("start-up", name, round, "start ms", startMillis);
          log.add("start-up", name, round, "idle MB", megabytes);
        }
      }
      Collections.reverse(turns);
    }
    progress.done();
  }

  private ReportTable table() {
    ReportTable table =
        new ReportTable(
            "start-up time and idle memory", "", "start ms", "min..max", "idle MB", "min..max");
    for (Contender contender : contenders) {
      table.add(
          contender.name,
          format("%,.0f", contender.startMillis.median()),
          range(contender.startMillis),
          format("%,.1f", contender.idleMegabytes.median()),
          range(contender.idleMegabytes));
    }
    return table;
  }

  private static String range(Rates rates) {
    return format("%,.0f..%,.0f", rates.min(), rates.max());
  }

  private static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
