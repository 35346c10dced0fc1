package io.penstock.bench.http;

import io.penstock.bench.contest.FailedRunException;
import io.penstock.bench.report.Findings;
import io.penstock.bench.report.Progress;
import io.penstock.bench.report.Ratio;
import io.penstock.bench.report.ReportTable;
import io.penstock.bench.report.RunLog;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Measures the cost of recording denied requests in a database, when every request is denied. */
public final class AuditPart {
  private static final String POLICY =
      """
      rules:
        - {name: denied, limit_keys: [user_id], rate: 1/d, burst: 1, fixed_cost: 2}
      """;
  private static final String NOTES =
      """
      Both servers have one worker, a heap of 256 MB and the same PostgreSQL on this machine; one of them
      records violations. Every request is denied. One caller causes one row per second. With a million
      callers, each has its own rows, most of which are dropped and counted.
      """;
  private static final int MAX_POLLS = 600;

  private AuditPart() {}

  /** The callers whose requests are denied. */
  private enum DeniedCallers {
    ONE("one caller", "\"1\""),
    MANY("a million callers", "math.random(1000000)");

    final String title;
    final String user;

    DeniedCallers(String title, String user) {
      this.title = title;
      this.user = user;
    }

    String requests() {
      return """
      wrk.method = "POST"
      local head = '{"ip":"203.0.113.7","path":"/search","attributes":{"user_id":"'
      request = function()
        return wrk.format(nil, nil, nil, head .. %s .. '"}}')
      end
      """
          .formatted(user);
    }
  }

  // The two servers swap places each round.
  private static final List<Boolean> FIRST_RECORDED = List.of(true, false);
  private static final List<Boolean> LAST_RECORDED = List.of(false, true);

  public static Findings measure(boolean quick, RunLog log)
      throws IOException, InterruptedException {
    int rounds = quick ? 3 : 6;
    long seconds = quick ? 3 : 10;
    Wrk wrk = new Wrk();
    int adminPort = ServerProcess.freePort();
    try (EmbeddedPostgres postgres = EmbeddedPostgres.builder().start();
        ServerProcess with = server(postgres, adminPort, true);
        ServerProcess without = server(postgres, ServerProcess.freePort(), false)) {
      Progress progress = new Progress(2 * (2 * rounds + 2), seconds);
      ReportTable table =
          new ReportTable("throughput with every request denied", "", "responses/s", "min..max");
      List<Ratio> ratios = new ArrayList<>();
      for (DeniedCallers callers : DeniedCallers.values()) {
        Rates recorded = new Rates();
        Rates plain = new Rates();
        for (int round = 0; round <= rounds; round++) {
          boolean warmUp = round == 0;
          for (boolean records : round % 2 == 0 ? FIRST_RECORDED : LAST_RECORDED) {
            progress.next(callers.title + (records ? ", recorded" : ", not recorded"));
            double rate = measure(wrk, records ? with : without, callers, seconds);
            if (!warmUp) {
              (records ? recorded : plain).add(rate);
              log.add(
                  callers.title, records ? "recorded" : "not recorded", round, "responses/s", rate);
            }
          }
        }
        add(table, callers.title + ", recorded", recorded);
        add(table, callers.title + ", not recorded", plain);
        ratios.add(
            Ratio.of(
                "http.audit." + callers.name().toLowerCase(Locale.ROOT),
                recorded.over(plain, rounds)));
      }
      progress.done();
      return new Findings(List.of(table, denialTable(adminPort)), NOTES, ratios);
    }
  }

  private static ServerProcess server(EmbeddedPostgres postgres, int adminPort, boolean records)
      throws IOException, InterruptedException {
    Path snapshot = Files.createTempFile("penstock", ".json");
    Files.delete(snapshot);
    return ServerProcess.penstock(
        POLICY,
        adminPort,
        "--postgres",
        "postgres://postgres@127.0.0.1:" + postgres.getPort() + "/postgres",
        "--postgres-snapshot",
        snapshot.toString(),
        "--violations",
        "" + records);
  }

  private static double measure(Wrk wrk, ServerProcess server, DeniedCallers callers, long seconds)
      throws IOException, InterruptedException {
    return wrk.measure(server.port(), BenchRequest.CHECK, seconds, callers.requests());
  }

  private static void add(ReportTable table, String title, Rates rates) {
    table.add(
        title,
        String.format(Locale.ROOT, "%,.0f", rates.median()),
        String.format(Locale.ROOT, "%,.0f..%,.0f", rates.min(), rates.max()));
  }

  /** Returns the counts of denials, and fails if they don't add up. */
  private static ReportTable denialTable(int adminPort) throws IOException, InterruptedException {
    long seen = 0;
    long written = 0;
    long dropped = 0;
    for (int attempt = 0; attempt < MAX_POLLS; attempt++) {
      String metrics = metrics(adminPort);
      seen = count(metrics, "seen");
      written = count(metrics, "written");
      dropped = count(metrics, "dropped");
      if (seen > 0 && seen == written + dropped) {
        ReportTable table = new ReportTable("denied requests", "seen", "written", "dropped");
        table.add("" + seen, "" + written, "" + dropped);
        return table;
      }
      TimeUnit.MILLISECONDS.sleep(50);
    }
    throw new FailedRunException(
        "seen denials differ from written + dropped: "
            + seen
            + " seen, "
            + written
            + " written, "
            + dropped
            + " dropped");
  }

  private static String metrics(int adminPort) throws IOException, InterruptedException {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + adminPort + "/metrics"))
                .build(),
            HttpResponse.BodyHandlers.ofString())
        .body();
  }

  private static long count(String metrics, String outcome) {
    String name = "penstock_violations_total{outcome=\"" + outcome + "\"} ";
    return metrics
        .lines()
        .filter(line -> line.startsWith(name))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(name.length())))
        .sum();
  }
}
