package io.penstock.bench.redis;

import static io.penstock.bench.redis.RedisContender.PENSTOCK;
import static io.penstock.bench.redis.Workload.HOT_KEY;
import static io.penstock.bench.redis.Workload.MANY_KEYS;

import io.penstock.bench.report.Estimate;
import io.penstock.bench.report.Findings;
import io.penstock.bench.report.Progress;
import io.penstock.bench.report.Ratio;
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
import java.util.function.Function;

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

  private static final String SERVER = "one server";
  private static final String ONE = "one primary";
  private static final String THREE = "3 primaries";

  private static final String NOTES =
      """
      server µs is the total CPU time of all servers. The servers and the callers share the cores of this
      machine, so decisions/s shows the cost of a decision, not the throughput of more machines.
      decisions/s per core is the throughput of a server that has a core to itself; multiplied by the number
      of primaries, that of a cluster. server-time compares many_keys with 256 callers. All servers run all the
      time, and those that are not measured are idle.
      """;

  private final long millis;
  private final RunLog log;
  private final Progress progress;
  private final Map<String, Map<Cell, List<Reading>>> readings = new LinkedHashMap<>();

  private ClusterPart(long millis, int rounds, RunLog log) {
    this.millis = millis;
    this.log = log;
    this.progress = new Progress(3 * rounds * CELLS.size(), STEP_SECONDS);
  }

  /** A node and the servers that it uses. */
  private record Deployment(String name, List<RedisServer> servers, NodeProcess node) {}

  public static Findings measure(boolean quick, RunLog log)
      throws IOException, InterruptedException {
    int rounds = quick ? 1 : 5;
    ClusterPart part = new ClusterPart(quick ? 500 : 2_000, rounds, log);
    try (RedisServer server = new RedisServer();
        RedisCluster one = new RedisCluster(1);
        RedisCluster three = new RedisCluster(3);
        NodeProcess onServer = part.start(server.url());
        NodeProcess onOne = part.start(one.url());
        NodeProcess onThree = part.start(three.url())) {
      List<Deployment> turns = new ArrayList<>();
      turns.add(new Deployment(SERVER, List.of(server), onServer));
      turns.add(new Deployment(ONE, one.servers(), onOne));
      turns.add(new Deployment(THREE, three.servers(), onThree));
      turns.forEach(deployment -> part.readings.put(deployment.name, new LinkedHashMap<>()));
      for (int round = 1; round <= rounds; round++) {
        for (Cell cell : CELLS) {
          for (Deployment deployment : turns) {
            part.measure(deployment, cell, round);
          }
          Collections.reverse(turns);
        }
        Collections.reverse(turns);
      }
    }
    part.progress.done();
    return new Findings(List.of(part.table()), NOTES, part.ratios());
  }

  private NodeProcess start(String url) throws IOException {
    NodeProcess node = new NodeProcess(PENSTOCK, RedisLimits.GENEROUS, url);
    node.fill(MANY_KEYS, 64);
    node.ask(HOT_KEY, 64, millis);
    return node;
  }

  private void measure(Deployment deployment, Cell cell, int round) throws IOException {
    progress.next("%s: %s, round %d".formatted(deployment.name, cell, round));
    Reading reading = Reading.of(deployment.servers, deployment.node, cell, millis);
    reading.log(log, cell.toString(), deployment.name, round);
    Objects.requireNonNull(readings.get(deployment.name))
        .computeIfAbsent(cell, unused -> new ArrayList<>())
        .add(reading);
  }

  private List<Ratio> ratios() {
    return List.of(
        Ratio.of(
            "redis.cluster.server-time",
            Estimate.ofRatios(
                rounds(THREE, REFERENCE, Reading::serverMicrosPerRequest),
                rounds(SERVER, REFERENCE, Reading::serverMicrosPerRequest))),
        Ratio.of(
            "redis.cluster.three-primaries.one",
            Estimate.ofRatios(
                rounds(THREE, REFERENCE, Reading::perSecond),
                rounds(ONE, REFERENCE, Reading::perSecond))));
  }

  private List<Double> rounds(String deployment, Cell cell, Function<Reading, Double> of) {
    return Objects.requireNonNull(
            Objects.requireNonNull(readings.get(deployment), deployment).get(cell), cell::toString)
        .stream()
        .map(of)
        .toList();
  }

  private ReportTable table() {
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
    for (String deployment : readings.keySet()) {
      for (Cell cell : CELLS) {
        double coreMicros = median(deployment, cell, Reading::serverMicrosPerRequest);
        table.add(
            deployment + ", " + cell,
            format("%.1f", 1 / median(deployment, cell, Reading::callsPerRequest)),
            format("%.1f", median(deployment, cell, Reading::scriptMicrosPerCall)),
            format("%.2f", coreMicros),
            format("%,.0f", median(deployment, cell, Reading::bytesPerRequest)),
            format("%,.0f", median(deployment, cell, Reading::perSecond)),
            format("%,.0f", 1e6 / coreMicros));
      }
    }
    return table;
  }

  private double median(String deployment, Cell cell, Function<Reading, Double> of) {
    return Estimate.median(rounds(deployment, cell, of));
  }

  private static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
