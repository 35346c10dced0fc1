package io.penstock.bench.http;

import io.penstock.bench.http.BenchRequest.BenchResponse;
import io.penstock.bench.report.Findings;
import io.penstock.bench.report.Ratio;
import io.penstock.bench.report.RunLog;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Measures the throughput and latency of decisions over HTTP. */
public final class DecisionPart {
  private static final String NOTES =
      """
      Each server has one worker and receives one kind of request; five processes of each run one after the
      other. wrk uses one thread and 32 connections. The bare server is Vert.x: it reads the same requests
      and sends the headers and body that Penstock sent once, with names and values that are encoded once.
      nginx evaluates limit_req and sends a cached file with the same headers. Latencies are those of the last
      processes under open-loop load, measured from the scheduled time of each request: servers of the same
      request at the same rates, in turns. The rates are shares of the peak of the slowest server.
      """;

  /** JIT compilation differs from process to process, by some percent of throughput. */
  private static final int PROCESSES = 5;

  private static final int ROUNDS = 3;
  private static final int SECONDS = 3;

  /** The number of warm-up rounds. */
  private static final int WARM_UP = 12 / SECONDS;

  private static final int LATENCY_ROUNDS = 5;

  private static final String PENSTOCK = "Penstock";
  private static final String BARE = "bare Vert.x";
  private static final String NGINX = "nginx limit_req";

  private DecisionPart() {}

  public static Findings measure(boolean quick, RunLog log)
      throws IOException, InterruptedException {
    int processes = quick ? 1 : PROCESSES;
    int latencyRounds = quick ? 1 : LATENCY_ROUNDS;
    try (HttpContest contest =
        new HttpContest(quick ? 2 : ROUNDS, SECONDS, WARM_UP, Wrk.CONNECTIONS, log)) {
      for (int process = 0; process < processes; process++) {
        contest.stopServers();
        enter(contest);
        if (process == 0) {
          contest.expect(processes, LatencyTable.steps(contest.size(), latencyRounds));
        }
        contest.run();
      }
      LatencyTable latencies = new LatencyTable(contest, latencyRounds, log);
      latencies.measure();
      return new Findings(
          List.of(contest.table(), latencies.table()),
          NOTES + contest.spread("decision.bare", BenchRequest.FORWARD_AUTH, PENSTOCK, BARE),
          ratios(contest, latencies),
          List.of(contest.plot("decision", "One worker of the decision service")));
    }
  }

  private static void enter(HttpContest contest) throws IOException, InterruptedException {
    for (BenchRequest request : List.of(BenchRequest.FORWARD_AUTH, BenchRequest.CHECK)) {
      ServerProcess penstock = contest.own(ServerProcess.penstock());
      contest.enter(PENSTOCK, request, penstock);
      BenchResponse reply = request.send(penstock.port());
      contest.enter(BARE, request, contest.own(ServerProcess.bare(reply)));
      if (request == BenchRequest.FORWARD_AUTH && Nginx.isInstalled()) {
        contest.enter(NGINX, request, contest.own(ServerProcess.nginx(Nginx.limiting(reply))));
      }
    }
  }

  private static List<Ratio> ratios(HttpContest contest, LatencyTable latencies) {
    return Stream.of(
            contest.ratio("http.decision.bare", BenchRequest.FORWARD_AUTH, PENSTOCK, BARE),
            contest.ratio("http.check.bare", BenchRequest.CHECK, PENSTOCK, BARE),
            contest.ratio("http.decision.nginx", BenchRequest.FORWARD_AUTH, PENSTOCK, NGINX),
            latencies.ratio("http.decision.p99.bare", BenchRequest.FORWARD_AUTH, PENSTOCK, BARE),
            latencies.ratio("http.decision.p99.nginx", BenchRequest.FORWARD_AUTH, PENSTOCK, NGINX))
        .flatMap(Optional::stream)
        .toList();
  }
}
