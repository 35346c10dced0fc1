package io.penstock.bench.http;

import io.penstock.bench.report.Bars;
import io.penstock.bench.report.Progress;
import io.penstock.bench.report.Ratio;
import io.penstock.bench.report.ReportTable;
import io.penstock.bench.report.RunLog;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/** Measures servers in turns under closed-loop load. Not thread-safe. */
final class HttpContest implements AutoCloseable {
  private final int rounds;
  private final long seconds;
  private final int warmUp;
  private final Wrk wrk;
  private final RunLog log;
  private final Map<HttpEntry, Rates> rates = new LinkedHashMap<>();
  private final Map<HttpEntry, Rates> cpuMicros = new LinkedHashMap<>();
  private final Map<HttpEntry, ServerProcess> servers = new HashMap<>();
  private final List<ServerProcess> owned = new ArrayList<>();
  private Progress progress = new Progress(0, 0);
  private boolean backwards;

  /** A server and the request that it receives. */
  record HttpEntry(String server, BenchRequest request) {
    @Override
    public String toString() {
      return request + ": " + server;
    }
  }

  HttpContest(boolean quick, RunLog log) throws IOException {
    this(quick ? 2 : 7, quick ? 2 : 5, 2, Wrk.CONNECTIONS, log);
  }

  /**
   * @param seconds the duration of a round
   * @param warmUp the number of warm-up rounds
   * @param connections the number of connections to each server
   */
  HttpContest(int rounds, long seconds, int warmUp, int connections, RunLog log)
      throws IOException {
    this.log = log;
    this.rounds = rounds;
    this.seconds = seconds;
    this.warmUp = warmUp;
    this.wrk = new Wrk(connections);
  }

  /** Takes ownership of a server, which is stopped with the contest. */
  ServerProcess own(ServerProcess server) {
    owned.add(server);
    return server;
  }

  /** Adds a server to the next run. Replaces an earlier process of the same name. */
  void enter(String server, BenchRequest request, ServerProcess process) {
    HttpEntry entry = new HttpEntry(server, request);
    rates.putIfAbsent(entry, new Rates());
    cpuMicros.putIfAbsent(entry, new Rates());
    servers.put(entry, process);
  }

  int port(HttpEntry entry) {
    return server(entry).port();
  }

  private ServerProcess server(HttpEntry entry) {
    return Objects.requireNonNull(servers.get(entry));
  }

  int size() {
    return rates.size();
  }

  /** Returns the duration of a round. */
  long seconds() {
    return seconds;
  }

  List<HttpEntry> entries() {
    return List.copyOf(rates.keySet());
  }

  Rates rates(HttpEntry entry) {
    return Objects.requireNonNull(rates.get(entry));
  }

  /**
   * Sets the expected number of rounds, once all servers have entered.
   *
   * @param runs the number of calls of {@link #run}
   * @param more the rounds of other steps
   */
  void expect(int runs, int more) {
    progress = new Progress(runs * (rounds + warmUp) * size() + more, seconds);
  }

  /** Reports a step outside of the contest that takes as long as some rounds. */
  void next(String step, int rounds) {
    progress.next(step, rounds);
  }

  void run() throws IOException, InterruptedException {
    List<HttpEntry> order = new ArrayList<>(rates.keySet());
    if (backwards) {
      Collections.reverse(order);
    }
    // The server that is warmed up first has been idle for longest when it is measured.
    backwards = !backwards;
    for (HttpEntry entry : order) {
      progress.next("warm-up, " + entry, warmUp);
      wrk.warmUp(port(entry), entry.request, seconds * warmUp);
    }
    for (int round = 1; round <= rounds; round++) {
      for (HttpEntry entry : order) {
        progress.next("round " + round + " of " + rounds + ", " + entry);
        measure(entry);
      }
      // No server always follows the same one.
      Collections.reverse(order);
    }
  }

  private void measure(HttpEntry entry) throws IOException, InterruptedException {
    Duration before = server(entry).cpuTime();
    Wrk.WrkLoad load = wrk.measure(port(entry), entry.request, seconds);
    double micros = server(entry).cpuTime().minus(before).toNanos() / 1e3;
    rates(entry).add(load.perSecond());
    cpuMicros(entry).add(micros / load.responses());
    String row = entry.request.toString();
    int round = rates(entry).size();
    log.add(row, entry.server, round, "responses/s", load.perSecond());
    log.add(row, entry.server, round, "CPU µs/response", micros / load.responses());
  }

  /** Returns the CPU time of the server per response. */
  private Rates cpuMicros(HttpEntry entry) {
    return Objects.requireNonNull(cpuMicros.get(entry));
  }

  ReportTable table() {
    return table("throughput of one worker");
  }

  ReportTable table(String title) {
    ReportTable table =
        new ReportTable(
            title, "", "responses/s", "min..max", "µs/response", "CPU time in µs/response");
    rates.forEach(
        (entry, measured) ->
            table.add(
                entry.toString(),
                format("%,.0f", measured.median()),
                format("%,.0f..%,.0f", measured.min(), measured.max()),
                format("%.1f", 1e6 / measured.median()),
                format("%.1f", cpuMicros(entry).median())));
    return table;
  }

  Bars plot(String name, String title) {
    Bars.Builder bars = new Bars.Builder();
    rates.forEach((entry, measured) -> bars.add(entry.toString(), measured.median()));
    return bars.build(name, title, "responses per second");
  }

  /** Returns the ratio of two servers; empty if one of them did not enter. */
  Optional<Ratio> ratio(String name, BenchRequest request, String ours, String theirs) {
    return of(ours, request)
        .flatMap(
            measured ->
                of(theirs, request).map(peer -> Ratio.of(name, measured.over(peer, rounds))));
  }

  /**
   * Returns the ratio of two servers in each run, in ascending order, as an indication of noise.
   */
  String spread(String name, BenchRequest request, String ours, String theirs) {
    return of(ours, request)
        .orElseThrow()
        .overByRun(of(theirs, request).orElseThrow(), rounds)
        .stream()
        .map(ratio -> format("%.2f", ratio))
        .collect(Collectors.joining(", ", name + " of each process: ", ".\n"));
  }

  private Optional<Rates> of(String server, BenchRequest request) {
    return rates.entrySet().stream()
        .filter(entry -> entry.getKey().server.equals(server))
        .filter(entry -> entry.getKey().request == request)
        .map(Map.Entry::getValue)
        .findFirst();
  }

  private static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }

  /** Stops the servers, so that others can enter. */
  void stopServers() {
    owned.forEach(ServerProcess::close);
    owned.clear();
  }

  @Override
  public void close() {
    progress.done();
    stopServers();
  }
}
