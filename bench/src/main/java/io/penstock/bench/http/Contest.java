package io.penstock.bench.http;

import io.penstock.bench.report.Bars;
import io.penstock.bench.report.Progress;
import io.penstock.bench.report.Ratio;
import io.penstock.bench.report.Table;
import java.io.IOException;
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

/** Servers that are asked by turns, as fast as they answer. Not thread-safe. */
final class Contest implements AutoCloseable {
  private final int rounds;
  private final long seconds;
  private final int warmUp;
  private final Wrk wrk;
  private final Map<Entry, Rates> rates = new LinkedHashMap<>();
  private final Map<Entry, Integer> ports = new HashMap<>();
  private final List<ServerProcess> owned = new ArrayList<>();
  private Progress progress = new Progress(0, 0);
  private boolean backwards;

  /** A server with a question to it. */
  record Entry(String server, Question question) {
    @Override
    public String toString() {
      return question + ": " + server;
    }
  }

  Contest(boolean quick) throws IOException {
    this(quick ? 2 : 7, quick ? 2 : 5, 2, Wrk.CONNECTIONS);
  }

  /**
   * @param seconds of a round
   * @param warmUp for how many rounds each is asked before it counts
   * @param connections over how many each is asked
   */
  Contest(int rounds, long seconds, int warmUp, int connections) throws IOException {
    this.rounds = rounds;
    this.seconds = seconds;
    this.warmUp = warmUp;
    this.wrk = new Wrk(connections);
  }

  /** Takes a server that ends with the contest. */
  ServerProcess own(ServerProcess server) {
    owned.add(server);
    return server;
  }

  /** Takes part in the next run, in the place of a process of the same name before. */
  void enter(String server, Question question, ServerProcess process) {
    Entry entry = new Entry(server, question);
    rates.putIfAbsent(entry, new Rates());
    ports.put(entry, process.port());
  }

  int port(Entry entry) {
    return Objects.requireNonNull(ports.get(entry));
  }

  int size() {
    return rates.size();
  }

  /** How long each is asked. */
  long seconds() {
    return seconds;
  }

  List<Entry> entries() {
    return List.copyOf(rates.keySet());
  }

  Rates rates(Entry entry) {
    return Objects.requireNonNull(rates.get(entry));
  }

  /**
   * To be called when all have entered.
   *
   * @param runs how often they {@link #run}
   * @param more how many rounds what is to follow takes
   */
  void expect(int runs, int more) {
    progress = new Progress(runs * (rounds + warmUp) * size() + more, seconds);
  }

  /** A step begins that is not the contest's own, as long as some rounds. */
  void next(String step, int rounds) {
    progress.next(step, rounds);
  }

  void run() throws IOException, InterruptedException {
    List<Entry> order = new ArrayList<>(rates.keySet());
    if (backwards) {
      Collections.reverse(order);
    }
    // Who is warmed up first has been idle for longest when it counts.
    backwards = !backwards;
    for (Entry entry : order) {
      progress.next("warm-up, " + entry, warmUp);
      wrk.warmUp(port(entry), entry.question, seconds * warmUp);
    }
    for (int round = 1; round <= rounds; round++) {
      for (Entry entry : order) {
        progress.next("round " + round + " of " + rounds + ", " + entry);
        rates(entry).add(wrk.ask(port(entry), entry.question, seconds));
      }
      // Nobody always follows the same one.
      Collections.reverse(order);
    }
  }

  Table table() {
    return table("answers of one worker");
  }

  Table table(String title) {
    Table table = new Table(title, "", "answers/s", "min..max", "µs/answer");
    rates.forEach(
        (entry, measured) ->
            table.add(
                entry.toString(),
                format("%,.0f", measured.median()),
                format("%,.0f..%,.0f", measured.least(), measured.most()),
                format("%.1f", 1e6 / measured.median())));
    return table;
  }

  Bars plot(String name, String title) {
    Bars.Builder bars = new Bars.Builder();
    rates.forEach((entry, measured) -> bars.add(entry.toString(), measured.median()));
    return bars.build(name, title, "answers a second");
  }

  /** How one server compares with another; nothing if that one did not enter. */
  Optional<Ratio> ratio(String name, Question question, String ours, String theirs) {
    return of(ours, question)
        .flatMap(measured -> of(theirs, question).map(peer -> Ratio.of(name, measured.over(peer))));
  }

  /** How far chance goes: how one server compares with another in each run, the least first. */
  String spread(String name, Question question, String ours, String theirs) {
    return of(ours, question)
        .orElseThrow()
        .overByRun(of(theirs, question).orElseThrow(), rounds)
        .stream()
        .map(ratio -> format("%.2f", ratio))
        .collect(Collectors.joining(", ", name + " of each process by itself: ", ".\n"));
  }

  private Optional<Rates> of(String server, Question question) {
    return rates.entrySet().stream()
        .filter(entry -> entry.getKey().server.equals(server))
        .filter(entry -> entry.getKey().question == question)
        .map(Map.Entry::getValue)
        .findFirst();
  }

  private static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }

  /** Ends the servers; others may enter then. */
  void endServers() {
    owned.forEach(ServerProcess::close);
    owned.clear();
  }

  @Override
  public void close() {
    progress.done();
    endServers();
  }
}
