package io.penstock.bench.http;

import io.penstock.bench.http.Question.Reply;
import io.penstock.bench.report.Findings;
import io.penstock.bench.report.Ratio;
import io.penstock.bench.report.Table;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/** What a decision costs a server of HTTP, and how long those who ask wait. */
public final class DoorsPart {
  private static final String NOTES =
      """
      Each server has one worker and is asked one question; there are five processes of each, one after
      the other. wrk asks with one thread over 32 connections. The bare server is Vert.x, reads the same
      requests and sends the same headers and body, as Penstock sent them once. nginx looks at limit_req
      and sends a file with the same headers. Times of answers are of the last processes, from when the
      question was due, asked at half of each server's own peak, whether or not answers come.
      """;

  /** How code happens to be compiled makes some percent from process to process. */
  private static final int PROCESSES = 5;

  private static final int ROUNDS = 3;
  private static final int SECONDS = 3;

  /** In rounds. */
  private static final int WARM_UP = 12 / SECONDS;

  /** For how many rounds times are taken. */
  private static final int TIMES = 4;

  private static final String PENSTOCK = "Penstock";
  private static final String BARE = "bare Vert.x";
  private static final String NGINX = "nginx limit_req";

  private DoorsPart() {}

  public static Findings measure(boolean quick) throws IOException, InterruptedException {
    int processes = quick ? 1 : PROCESSES;
    try (Contest contest = new Contest(quick ? 2 : ROUNDS, SECONDS, WARM_UP, Wrk.CONNECTIONS)) {
      for (int process = 0; process < processes; process++) {
        contest.endServers();
        enter(contest);
        if (process == 0) {
          contest.expect(processes, (1 + TIMES) * contest.size());
        }
        contest.run();
      }
      Table latencies = latencies(contest);
      return new Findings(
          List.of(contest.table(), latencies),
          NOTES + contest.spread("decision.bare", Question.FORWARD_AUTH, PENSTOCK, BARE),
          ratios(contest),
          List.of(contest.plot("doors", "One worker of the decision service")));
    }
  }

  private static void enter(Contest contest) throws IOException, InterruptedException {
    for (Question question : List.of(Question.FORWARD_AUTH, Question.CHECK)) {
      ServerProcess penstock = contest.own(ServerProcess.penstock());
      contest.enter(PENSTOCK, question, penstock);
      Reply reply = question.ask(penstock.port());
      contest.enter(BARE, question, contest.own(ServerProcess.bare(reply)));
      if (question == Question.FORWARD_AUTH && Nginx.isInstalled()) {
        contest.enter(NGINX, question, contest.own(ServerProcess.nginx(Nginx.limiting(reply))));
      }
    }
  }

  private static Table latencies(Contest contest) throws IOException {
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
    // Who asks has to be warm as well, or the first one is told slower than it is.
    for (Contest.Entry entry : contest.entries()) {
      contest.next("warm-up of times, " + entry, 1);
      Histogram unused = ask(contest, entry, 1);
    }
    for (Contest.Entry entry : contest.entries()) {
      contest.next("times, " + entry, TIMES);
      Histogram nanos = ask(contest, entry, TIMES);
      List<String> line = new ArrayList<>(List.of(entry.toString()));
      line.add(format("%,.0f", halfOfPeak(contest, entry)));
      for (double percentile : new double[] {50, 90, 99, 99.9, 100}) {
        line.add(format("%,.0f", nanos.getValueAtPercentile(percentile) / 1e3));
      }
      table.add(line.toArray(String[]::new));
    }
    return table;
  }

  private static Histogram ask(Contest contest, Contest.Entry entry, int rounds)
      throws IOException {
    double perSecond = halfOfPeak(contest, entry);
    return OpenLoop.ask(
        contest.port(entry), entry.question(), perSecond, rounds * contest.seconds());
  }

  private static double halfOfPeak(Contest contest, Contest.Entry entry) {
    return contest.rates(entry).median() / 2;
  }

  private static List<Ratio> ratios(Contest contest) {
    return Stream.of(
            contest.ratio("http.decision.bare", Question.FORWARD_AUTH, PENSTOCK, BARE),
            contest.ratio("http.check.bare", Question.CHECK, PENSTOCK, BARE),
            contest.ratio("http.decision.nginx", Question.FORWARD_AUTH, PENSTOCK, NGINX))
        .flatMap(Optional::stream)
        .toList();
  }

  private static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
