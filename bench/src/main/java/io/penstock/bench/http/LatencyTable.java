package io.penstock.bench.http;

import io.penstock.bench.http.HttpContest.HttpEntry;
import io.penstock.bench.report.Estimate;
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
import java.util.Optional;
import org.HdrHistogram.Histogram;

/**
 * Measures the latency of servers under open-loop load. Servers that receive the same request are
 * compared at the same rates, which are shares of the peak of the slowest of them. Not thread-safe.
 */
final class LatencyTable {
  static final double[] SHARES = {0.2, 0.4, 0.6};

  private static final double[] PERCENTILES = {50, 90, 99, 99.9, 100};
  private static final String[] FIGURES = {"p50 µs", "p90 µs", "p99 µs", "p99.9 µs", "max µs"};
  private static final int P99 = 2;

  private final HttpContest contest;
  private final RunLog log;
  private final int rounds;
  private final Map<ServerLoad, List<double[]>> micros = new LinkedHashMap<>();

  /** A server at a rate. */
  private record ServerLoad(HttpEntry entry, long perSecond) {}

  LatencyTable(HttpContest contest, int rounds, RunLog log) {
    this.contest = contest;
    this.rounds = rounds;
    this.log = log;
  }

  /** Returns the number of steps of {@link #measure}. */
  static int steps(int servers, int rounds) {
    return servers * (1 + rounds * SHARES.length);
  }

  void measure() throws IOException {
    List<HttpEntry> turns = new ArrayList<>(contest.entries());
    // The load generator needs a warm-up too, or the first server appears slower than it is.
    for (HttpEntry entry : turns) {
      contest.next("warm-up of latencies, " + entry, 1);
      Histogram unused = run(entry, perSecond(entry, SHARES[0]));
    }
    for (double share : SHARES) {
      contest.entries().forEach(entry -> micros.put(load(entry, share), new ArrayList<>()));
      for (int round = 1; round <= rounds; round++) {
        for (HttpEntry entry : turns) {
          contest.next("latencies, " + entry, 1);
          measure(load(entry, share), round);
        }
        Collections.reverse(turns);
      }
    }
  }

  private void measure(ServerLoad load, int round) throws IOException {
    Histogram nanos = run(load.entry, load.perSecond);
    double[] figures = new double[PERCENTILES.length];
    for (int i = 0; i < figures.length; i++) {
      figures[i] = nanos.getValueAtPercentile(PERCENTILES[i]) / 1e3;
      String row = load.entry.request() + " at " + load.perSecond + "/s";
      log.add(row, load.entry.server(), round, FIGURES[i], figures[i]);
    }
    Objects.requireNonNull(micros.get(load)).add(figures);
  }

  private Histogram run(HttpEntry entry, long perSecond) throws IOException {
    return OpenLoop.run(
        contest.port(entry), entry.request(), (double) perSecond, contest.seconds());
  }

  private ServerLoad load(HttpEntry entry, double share) {
    return new ServerLoad(entry, perSecond(entry, share));
  }

  /** Returns a share of the peak of the slowest server, in whole thousands. */
  private long perSecond(HttpEntry entry, double share) {
    double min =
        contest.entries().stream()
            .filter(other -> other.request() == entry.request())
            .mapToDouble(other -> contest.rates(other).median())
            .min()
            .orElseThrow();
    return Math.max(1_000, Math.round(share * min / 1_000) * 1_000);
  }

  ReportTable table() {
    ReportTable table =
        new ReportTable(
            "latency at the same rates, in µs",
            "",
            "requests/s",
            "p50",
            "p90",
            "p99",
            "p99.9",
            "max");
    for (ServerLoad load : micros.keySet()) {
      List<String> line = new ArrayList<>(List.of(load.entry.toString()));
      line.add(String.format(Locale.ROOT, "%,d", load.perSecond));
      for (int i = 0; i < PERCENTILES.length; i++) {
        line.add(String.format(Locale.ROOT, "%,.0f", Estimate.median(figures(load, i))));
      }
      table.add(line.toArray(String[]::new));
    }
    return table;
  }

  private List<Double> figures(ServerLoad load, int figure) {
    return Objects.requireNonNull(micros.get(load)).stream().map(each -> each[figure]).toList();
  }

  /** Returns p99 of a server divided by that of another at the highest rate. */
  Optional<Ratio> ratio(String name, BenchRequest request, String ours, String theirs) {
    double share = SHARES[SHARES.length - 1];
    HttpEntry our = new HttpEntry(ours, request);
    HttpEntry their = new HttpEntry(theirs, request);
    if (!contest.entries().containsAll(List.of(our, their))) {
      return Optional.empty();
    }
    return Optional.of(
        Ratio.of(
            name,
            Estimate.ofRatios(figures(load(our, share), P99), figures(load(their, share), P99))));
  }
}
