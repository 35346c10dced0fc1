package io.penstock.bench.http;

import io.penstock.bench.http.Question.Reply;
import io.penstock.bench.report.Findings;
import io.penstock.bench.report.Progress;
import io.penstock.bench.report.Ratio;
import io.penstock.bench.report.Table;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** What a decision costs a server of HTTP, and how long those who ask wait. */
public final class DoorsPart {
  private static final String NOTES =
      """
      Each server has one worker; wrk asks with one thread over 32 connections. The bare server is
      Vert.x, reads the same requests and sends the same headers and body, as Penstock sent them once.
      nginx looks at limit_req and sends a file with the same headers. Times of answers are from when
      the question was due, asked at half of each server's own peak, whether or not answers come.
      """;

  private DoorsPart() {}

  /** A server with a question to it. */
  private record Entry(String server, Question question) {
    @Override
    public String toString() {
      return question + ": " + server;
    }
  }

  public static Findings measure(boolean quick) throws IOException, InterruptedException {
    int rounds = quick ? 2 : 7;
    long seconds = quick ? 2 : 5;
    Wrk wrk = new Wrk();
    Map<Entry, ServerProcess> servers = new LinkedHashMap<>();
    try {
      start(servers);
      Progress progress = new Progress((rounds + 2) * servers.size(), seconds);
      for (Map.Entry<Entry, ServerProcess> server : servers.entrySet()) {
        progress.next("warm-up, " + server.getKey());
        wrk.ask(server.getValue().port(), server.getKey().question, 2 * seconds);
      }
      Map<Entry, Rates> rates = new LinkedHashMap<>();
      for (int round = 1; round <= rounds; round++) {
        for (Map.Entry<Entry, ServerProcess> server : servers.entrySet()) {
          progress.next("round " + round + " of " + rounds + ", " + server.getKey());
          rates
              .computeIfAbsent(server.getKey(), unused -> new Rates())
              .add(wrk.ask(server.getValue().port(), server.getKey().question, seconds));
        }
      }
      Table latencies = latencies(servers, rates, seconds, progress);
      progress.done();
      return new Findings(List.of(throughput(rates), latencies), NOTES, ratios(rates));
    } finally {
      servers.values().forEach(ServerProcess::close);
    }
  }

  private static void start(Map<Entry, ServerProcess> servers)
      throws IOException, InterruptedException {
    ServerProcess penstock = ServerProcess.penstock();
    for (Question question : Question.values()) {
      servers.put(new Entry("Penstock", question), penstock);
      Reply reply = question.ask(penstock.port());
      servers.put(new Entry("bare Vert.x", question), ServerProcess.bare(reply));
      if (question == Question.FORWARD_AUTH && Nginx.isInstalled()) {
        servers.put(new Entry("nginx limit_req", question), ServerProcess.nginx(reply));
      }
    }
  }

  private static Table throughput(Map<Entry, Rates> rates) {
    Table table = new Table("answers of one worker", "", "answers/s", "min..max", "µs/answer");
    rates.forEach(
        (entry, measured) ->
            table.add(
                entry.toString(),
                format("%,.0f", measured.median()),
                format("%,.0f..%,.0f", measured.least(), measured.most()),
                format("%.1f", 1e6 / measured.median())));
    return table;
  }

  private static Table latencies(
      Map<Entry, ServerProcess> servers, Map<Entry, Rates> rates, long seconds, Progress progress)
      throws IOException {
    Table table =
        new Table(
            "times of answers at half of the peak, in µs",
            "",
            "asked/s",
            "p50",
            "p90",
            "p99",
            "p99.9",
            "max");
    for (Map.Entry<Entry, ServerProcess> server : servers.entrySet()) {
      progress.next("times, " + server.getKey());
      Rates measured = rates.get(server.getKey());
      double perSecond = measured == null ? 0 : measured.median() / 2;
      int port = server.getValue().port();
      Question question = server.getKey().question;
      Histogram unused = OpenLoop.ask(port, question, perSecond, 2);
      Histogram nanos = OpenLoop.ask(port, question, perSecond, 2 * seconds);
      List<String> line = new ArrayList<>(List.of(server.getKey().toString()));
      line.add(format("%,.0f", perSecond));
      for (double percentile : new double[] {50, 90, 99, 99.9, 100}) {
        line.add(format("%,.0f", nanos.getValueAtPercentile(percentile) / 1e3));
      }
      table.add(line.toArray(String[]::new));
    }
    return table;
  }

  private static List<Ratio> ratios(Map<Entry, Rates> rates) {
    List<Ratio> ratios = new ArrayList<>();
    addRatio("http.decision.bare", Question.FORWARD_AUTH, "bare Vert.x", rates, ratios);
    addRatio("http.check.bare", Question.CHECK, "bare Vert.x", rates, ratios);
    addRatio("http.decision.nginx", Question.FORWARD_AUTH, "nginx limit_req", rates, ratios);
    return ratios;
  }

  private static void addRatio(
      String name, Question question, String peer, Map<Entry, Rates> rates, List<Ratio> ratios) {
    Rates ours = rates.get(new Entry("Penstock", question));
    Rates theirs = rates.get(new Entry(peer, question));
    if (ours != null && theirs != null) {
      ratios.add(Ratio.of(name, ours.over(theirs)));
    }
  }

  private static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
