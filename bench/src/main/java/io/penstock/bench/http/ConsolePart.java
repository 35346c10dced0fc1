package io.penstock.bench.http;

import io.penstock.bench.report.Findings;
import io.penstock.bench.report.Progress;
import io.penstock.bench.report.Ratio;
import io.penstock.bench.report.ReportTable;
import io.penstock.bench.report.RunLog;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Measures what the figures in memory and a viewer of the console cost the decision service under
 * full load, with 1,000 rules.
 */
public final class ConsolePart {
  private static final int RULES = 500;
  private static final String RANDOM_RULE = "math.random(" + RULES + ")";
  private static final String NOTES =
      """
      Both servers have one worker, a heap of 256 MB, no database and 1,000 rules. One of them counts denied keys, keeps decisions over time and recent violations, and sends
      live figures to a viewer; in the other, all of this is turned off. Several processes of each run one after
      the other, in turns.
      """;

  private static final int PROCESSES = 3;
  private static final int ROUNDS = 6;
  private static final long SECONDS = 4;

  /** The number of warm-up rounds of each load. */
  private static final int WARM_UP = 2;

  private ConsolePart() {}

  /** The requests that are sent. */
  private enum DecisionLoad {
    ALLOWED("allowed", "allowed", RANDOM_RULE, "\"1\""),
    ONE("denied, one key of one rule", "denied", "1", "\"1\""),
    MANY("denied, a million keys of one rule", "denied", "1", "math.random(1000000)"),
    EVERYWHERE("denied, a key of each rule", "denied", RANDOM_RULE, "\"1\"");

    final String title;
    final String path;
    final String rule;
    final String user;

    DecisionLoad(String title, String path, String rule, String user) {
      this.title = title;
      this.path = path;
      this.rule = rule;
      this.user = user;
    }

    String requests() {
      return """
      wrk.method = "POST"
      local head = '{"ip":"203.0.113.7","path":"/%s/'
      request = function()
        return wrk.format(nil, nil, nil, head .. %s .. '","attributes":{"user_id":"' .. %s .. '"}}')
      end
      """
          .formatted(path, rule, user);
    }

    String ratio() {
      return "http.console." + name().toLowerCase(Locale.ROOT);
    }
  }

  // The two servers swap places each round.
  private static final List<Boolean> FIRST_WITH = List.of(true, false);
  private static final List<Boolean> LAST_WITH = List.of(false, true);

  /**
   * The figures of a server under one load.
   *
   * @param cpuMicros the CPU time per response, which depends less on what else the machine does
   */
  private record ServerRates(Rates responses, Rates cpuMicros) {
    ServerRates() {
      this(new Rates(), new Rates());
    }
  }

  /** The figures under one load, with figures and a viewer, and without. */
  private record LoadRates(DecisionLoad load, ServerRates with, ServerRates without) {
    LoadRates(DecisionLoad load) {
      this(load, new ServerRates(), new ServerRates());
    }

    ServerRates of(boolean figures) {
      return figures ? with : without;
    }
  }

  public static Findings measure(boolean quick, RunLog log)
      throws IOException, InterruptedException {
    int processes = quick ? 1 : PROCESSES;
    int rounds = quick ? 4 : ROUNDS;
    List<LoadRates> rates = Arrays.stream(DecisionLoad.values()).map(LoadRates::new).toList();
    Progress progress = new Progress(processes * rates.size() * 2 * (WARM_UP + rounds), SECONDS);
    for (int process = 0; process < processes; process++) {
      int adminPort = ServerProcess.freePort();
      try (ServerProcess with = server(adminPort, true);
          ServerProcess without = server(ServerProcess.freePort(), false);
          StreamReader viewer = new StreamReader(adminPort)) {
        Wrk wrk = new Wrk();
        for (LoadRates of : rates) {
          for (int round = -WARM_UP; round < rounds; round++) {
            for (boolean figures : round % 2 == 0 ? FIRST_WITH : LAST_WITH) {
              String contender = figures ? "with figures and a viewer" : "without figures";
              progress.next(of.load.title + ", " + contender);
              ServerProcess server = figures ? with : without;
              Duration before = server.cpuTime();
              Wrk.WrkLoad sent =
                  wrk.load(server.port(), BenchRequest.CHECK, SECONDS, of.load.requests());
              double cpuMicros = server.cpuTime().minus(before).toNanos() / 1e3 / sent.responses();
              if (round >= 0) {
                of.of(figures).responses.add(sent.perSecond());
                of.of(figures).cpuMicros.add(cpuMicros);
                int number = process * rounds + round + 1;
                log.add(of.load.title, contender, number, "responses/s", sent.perSecond());
                log.add(of.load.title, contender, number, "CPU µs/response", cpuMicros);
              }
            }
          }
        }
        viewer.requireEvents();
      }
    }
    progress.done();
    ReportTable table =
        new ReportTable(
            "throughput with 1,000 rules", "", "responses/s", "min..max", "CPU µs per response");
    List<Ratio> ratios = new ArrayList<>();
    for (LoadRates of : rates) {
      add(table, of.load.title + ", with figures and a viewer", of.with);
      add(table, of.load.title + ", without figures", of.without);
      ratios.add(Ratio.of(of.load.ratio(), of.with.responses.over(of.without.responses, rounds)));
      ratios.add(
          Ratio.of(of.load.ratio() + ".cpu", of.with.cpuMicros.over(of.without.cpuMicros, rounds)));
    }
    return new Findings(List.of(table), NOTES, ratios);
  }

  private static ServerProcess server(int adminPort, boolean figures)
      throws IOException, InterruptedException {
    return ServerProcess.penstock(List.of("-Dpenstock.figures=" + figures), policy(), adminPort);
  }

  private static String policy() {
    return "attributes: {user_id: caller}\nrules:\n"
        + IntStream.rangeClosed(1, RULES)
            .mapToObj(
                rule ->
                    """
                      - {name: allowed-%1$d, limit_keys: [user_id], match: {path: /allowed/%1$d}, rate: 1000000/s,
                         burst: 1000000000}
                      - {name: denied-%1$d, limit_keys: [user_id], match: {path: /denied/%1$d}, rate: 1/d, burst: 1,
                         fixed_cost: 2}
                    """
                        .formatted(rule))
            .collect(Collectors.joining());
  }

  private static void add(ReportTable table, String title, ServerRates rates) {
    Rates responses = rates.responses;
    table.add(
        title,
        String.format(Locale.ROOT, "%,.0f", responses.median()),
        String.format(Locale.ROOT, "%,.0f..%,.0f", responses.min(), responses.max()),
        String.format(Locale.ROOT, "%.2f", rates.cpuMicros.median()));
  }
}
