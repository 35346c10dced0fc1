package io.penstock.bench.http;

import io.penstock.bench.contest.FailedRunException;
import io.penstock.bench.http.GrpcLoad.GrpcFigures;
import io.penstock.bench.report.Estimate;
import io.penstock.bench.report.Findings;
import io.penstock.bench.report.Progress;
import io.penstock.bench.report.Ratio;
import io.penstock.bench.report.ReportTable;
import io.penstock.bench.report.RunLog;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Measures Envoy's rate limit service over gRPC. */
public final class GrpcPart {
  private static final String NOTES =
      """
      Each server has one worker; several processes of each run, in turns. The load generator is a process with one
      event loop, four connections and 64 callers. The bare server is vertx-grpc: it reads the same messages and
      sends the message that Penstock sent once. Latencies are those of open-loop load at half the peak of the
      slower server, measured from the scheduled time of each call.
      """;

  private static final int PROCESSES = 5;
  private static final int ROUNDS = 3;
  private static final int SECONDS = 5;
  private static final int WARM_UP_SECONDS = 15;
  private static final long SOAK_SECONDS = 600;
  private static final double SOAK_SHARE = 0.5;
  private static final String PENSTOCK = "Penstock";
  private static final String BARE = "bare vertx-grpc";
  private static final String ROW = "ShouldRateLimit";

  private final List<GrpcContender> contenders = new ArrayList<>();
  private final RunLog log;
  private final Progress progress;
  private final int seconds;

  /** A server and its figures in each round. */
  private record GrpcContender(
      String name, Rates rates, Rates cpuMicros, Rates p50, Rates p99, Rates max) {
    GrpcContender(String name) {
      this(name, new Rates(), new Rates(), new Rates(), new Rates(), new Rates());
    }
  }

  private GrpcPart(int steps, int seconds, RunLog log) {
    this.log = log;
    this.progress = new Progress(steps, seconds);
    this.seconds = seconds;
  }

  /** Measures throughput, CPU time and latency. */
  public static Findings measure(boolean quick, RunLog log)
      throws IOException, InterruptedException {
    int processes = quick ? 1 : PROCESSES;
    int rounds = quick ? 2 : ROUNDS;
    int seconds = quick ? 2 : SECONDS;
    GrpcPart part = new GrpcPart(2 * processes * (2 * rounds + 1), seconds, log);
    for (int process = 0; process < processes; process++) {
      part.measure(rounds, quick ? 4 : WARM_UP_SECONDS);
    }
    part.progress.done();
    GrpcContender penstock = part.contenders.get(0);
    GrpcContender bare = part.contenders.get(1);
    return new Findings(
        List.of(part.throughput(), part.latency()),
        NOTES,
        List.of(
            Ratio.of("grpc.decision.bare", penstock.rates.over(bare.rates, rounds)),
            Ratio.of("grpc.decision.p99.bare", penstock.p99.over(bare.p99, rounds))));
  }

  /** Measures new processes of both servers. */
  private void measure(int rounds, int warmUpSeconds) throws IOException, InterruptedException {
    if (contenders.isEmpty()) {
      contenders.add(new GrpcContender(PENSTOCK));
      contenders.add(new GrpcContender(BARE));
    }
    try (ServerProcess penstock = ServerProcess.envoy(GrpcMessages.CONFIG);
        ServerProcess bare = ServerProcess.bareGrpc(answer(penstock.port()))) {
      List<ServerProcess> servers = List.of(penstock, bare);
      List<Integer> turns = new ArrayList<>(List.of(0, 1));
      for (int turn : turns) {
        progress.next("warm-up, " + contenders.get(turn).name);
        GrpcFigures unused = load(servers.get(turn), 0, warmUpSeconds);
      }
      for (int round = 0; round < rounds; round++) {
        for (int turn : turns) {
          progress.next("throughput, " + contenders.get(turn).name);
          measure(contenders.get(turn), servers.get(turn));
        }
        Collections.reverse(turns);
      }
      double half =
          contenders.stream().mapToDouble(each -> each.rates.median()).min().orElseThrow() / 2;
      for (int round = 0; round < rounds; round++) {
        for (int turn : turns) {
          progress.next("latency, " + contenders.get(turn).name);
          measureLatency(contenders.get(turn), servers.get(turn), half);
        }
        Collections.reverse(turns);
      }
    }
  }

  private void measure(GrpcContender contender, ServerProcess server)
      throws IOException, InterruptedException {
    Duration before = server.cpuTime();
    GrpcFigures figures = load(server, 0, seconds);
    double micros =
        (double) server.cpuTime().minus(before).toNanos() / 1e3 / (double) figures.answers();
    contender.rates.add(figures.perSecond());
    contender.cpuMicros.add(micros);
    int round = contender.rates.size();
    log.add(ROW, contender.name, round, "answers/s", figures.perSecond());
    log.add(ROW, contender.name, round, "CPU µs/answer", micros);
  }

  private void measureLatency(GrpcContender contender, ServerProcess server, double perSecond)
      throws IOException, InterruptedException {
    GrpcFigures figures = load(server, perSecond, seconds);
    contender.p50.add(figures.p50());
    contender.p99.add(figures.p99());
    contender.max.add(figures.max());
    int round = contender.p99.size();
    String row = String.format(Locale.ROOT, "%s at %.0f/s", ROW, perSecond);
    log.add(row, contender.name, round, "p50 µs", figures.p50());
    log.add(row, contender.name, round, "p99 µs", figures.p99());
    log.add(row, contender.name, round, "max µs", figures.max());
  }

  private static GrpcFigures load(ServerProcess server, double perSecond, long seconds)
      throws IOException, InterruptedException {
    GrpcFigures figures = GrpcLoad.run(server.port(), perSecond, seconds);
    if (figures.lost() > 0) {
      throw new FailedRunException("lost calls: " + figures);
    }
    return figures;
  }

  private ReportTable throughput() {
    ReportTable table =
        new ReportTable(
            "throughput of one worker, 64 callers",
            "",
            "answers/s",
            "min..max",
            "CPU time in µs/answer");
    for (GrpcContender each : contenders) {
      table.add(
          each.name,
          format("%,.0f", each.rates.median()),
          format("%,.0f..%,.0f", each.rates.min(), each.rates.max()),
          format("%.1f", each.cpuMicros.median()));
    }
    return table;
  }

  private ReportTable latency() {
    ReportTable table = new ReportTable("latency at half the peak, in µs", "", "p50", "p99", "max");
    for (GrpcContender each : contenders) {
      table.add(
          each.name,
          format("%,.0f", each.p50.median()),
          format("%,.0f", each.p99.median()),
          format("%,.0f", each.max.max()));
    }
    return table;
  }

  /** Asks at half the peak for ten minutes, and fails if any call is lost. */
  public static Findings soak(boolean quick, RunLog log) throws IOException, InterruptedException {
    long seconds = quick ? 10 : SOAK_SECONDS;
    Progress progress = new Progress(2, seconds);
    try (ServerProcess penstock = ServerProcess.envoy(GrpcMessages.CONFIG)) {
      progress.next("warm-up and peak");
      GrpcFigures peak = load(penstock, 0, quick ? 4 : WARM_UP_SECONDS);
      progress.next("soak");
      double perSecond = peak.perSecond() * SOAK_SHARE;
      GrpcFigures figures = load(penstock, perSecond, seconds);
      progress.done();
      log.add("soak", PENSTOCK, 1, "answers", (double) figures.answers());
      log.add("soak", PENSTOCK, 1, "p99 µs", figures.p99());
      ReportTable table =
          new ReportTable("soak", "", "seconds", "calls", "lost", "p99 µs", "max µs");
      table.add(
          PENSTOCK,
          "" + seconds,
          format("%,d", figures.answers()),
          "" + figures.lost(),
          format("%,.0f", figures.p99()),
          format("%,.0f", figures.max()));
      return new Findings(
          List.of(table),
          "Open-loop load at half the peak. A call is lost if it has no answer, an error or a denial.\n",
          List.of(Ratio.of("grpc.soak.lost", Estimate.exact((double) figures.lost()))));
    }
  }

  /** Returns the message that a server answers with, in Base64. */
  private static String answer(int port) {
    Vertx vertx = Vertx.vertx();
    HttpClient client =
        vertx.createHttpClient(
            new HttpClientOptions()
                .setProtocolVersion(HttpVersion.HTTP_2)
                .setHttp2ClearTextUpgrade(false));
    try {
      Buffer frame =
          client
              .request(HttpMethod.POST, port, "127.0.0.1", GrpcMessages.METHOD)
              .compose(
                  call ->
                      call.putHeader("content-type", "application/grpc")
                          .putHeader("te", "trailers")
                          .send(GrpcMessages.request())
                          .compose(response -> response.body()))
              .await(10, TimeUnit.SECONDS);
      return Base64.getEncoder().encodeToString(GrpcMessages.message(frame).getBytes());
    } catch (TimeoutException e) {
      throw new FailedRunException("no answer over gRPC");
    } finally {
      var unused = vertx.close();
    }
  }

  private static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
