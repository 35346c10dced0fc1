package io.penstock.bench.http;

import io.penstock.bench.http.BenchRequest.BenchResponse;
import io.penstock.bench.report.Findings;
import io.penstock.bench.report.Ratio;
import io.penstock.bench.report.ReportTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/** Measures the throughput and latency of decisions over HTTP. */
public final class DecisionPart {
  private static final String NOTES =
      """
      Each server has one worker and receives one kind of request; five processes of each run one after the
      other. wrk uses one thread and 32 connections. The bare server is Vert.x: it reads the same requests
      and sends the headers and body that Penstock sent once, with names and values that are encoded once.
      nginx evaluates limit_req and sends a cached file with the same headers. Latencies are those of the last processes under an open-loop load of half of the
      server's own peak, measured from the scheduled time of each request.
      """;

  /** JIT compilation differs from process to process, by some percent of throughput. */
  private static final int PROCESSES = 5;

  private static final int ROUNDS = 3;
  private static final int SECONDS = 3;

  /** The number of warm-up rounds. */
  private static final int WARM_UP = 12 / SECONDS;

  /** The number of rounds for latencies. */
  private static final int LATENCY_ROUNDS = 4;

  private static final String PENSTOCK = "Penstock";
  private static final String BARE = "bare Vert.x";
  private static final String NGINX = "nginx limit_req";

  private DecisionPart() {}

  public static Findings measure(boolean quick) throws IOException, InterruptedException {
    int processes = quick ? 1 : PROCESSES;
    try (HttpContest contest =
        new HttpContest(quick ? 2 : ROUNDS, SECONDS, WARM_UP, Wrk.CONNECTIONS)) {
      for (int process = 0; process < processes; process++) {
        contest.stopServers();
        enter(contest);
        if (process == 0) {
          contest.expect(processes, (1 + LATENCY_ROUNDS) * contest.size());
        }
        contest.run();
      }
      ReportTable latencies = latencies(contest);
      return new Findings(
          List.of(contest.table(), latencies),
          NOTES + contest.spread("decision.bare", BenchRequest.FORWARD_AUTH, PENSTOCK, BARE),
          ratios(contest),
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

  private static ReportTable latencies(HttpContest contest) throws IOException {
    ReportTable table =
        new ReportTable(
            "latency at half of the peak load, in µs",
            "",
            "requests/s",
            "p50",
            "p90",
            "p99",
            "p99.9",
            "max");
    // The load generator needs a warm-up too, or the first server appears slower than it is.
    for (HttpContest.HttpEntry entry : contest.entries()) {
      contest.next("warm-up of latencies, " + entry, 1);
      Histogram unused = measure(contest, entry, 1);
    }
    for (HttpContest.HttpEntry entry : contest.entries()) {
      contest.next("latencies, " + entry, LATENCY_ROUNDS);
      Histogram nanos = measure(contest, entry, LATENCY_ROUNDS);
      List<String> line = new ArrayList<>(List.of(entry.toString()));
      line.add(format("%,.0f", halfOfPeak(contest, entry)));
      for (double percentile : new double[] {50, 90, 99, 99.9, 100}) {
        line.add(format("%,.0f", nanos.getValueAtPercentile(percentile) / 1e3));
      }
      table.add(line.toArray(String[]::new));
    }
    return table;
  }

  private static Histogram measure(HttpContest contest, HttpContest.HttpEntry entry, int rounds)
      throws IOException {
    double perSecond = halfOfPeak(contest, entry);
    return OpenLoop.run(
        contest.port(entry), entry.request(), perSecond, rounds * contest.seconds());
  }

  private static double halfOfPeak(HttpContest contest, HttpContest.HttpEntry entry) {
    return contest.rates(entry).median() / 2;
  }

  private static List<Ratio> ratios(HttpContest contest) {
    return Stream.of(
            contest.ratio("http.decision.bare", BenchRequest.FORWARD_AUTH, PENSTOCK, BARE),
            contest.ratio("http.check.bare", BenchRequest.CHECK, PENSTOCK, BARE),
            contest.ratio("http.decision.nginx", BenchRequest.FORWARD_AUTH, PENSTOCK, NGINX))
        .flatMap(Optional::stream)
        .toList();
  }

  private static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
