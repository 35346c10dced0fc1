package io.penstock.server.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.algorithm.GoldenVectors;
import io.penstock.algorithm.GoldenVectors.Op;
import io.penstock.algorithm.GoldenWindows;
import io.penstock.server.RunningServer;
import io.penstock.server.Setting;
import io.penstock.testing.ManualClock;
import java.math.BigDecimal;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * P11: the listeners give the golden answers, rounded as each of them does. Of a trace, only the
 * operations that HTTP supports are used: it ends where tokens are charged, refunded or promised
 * for later.
 */
class GoldenListenersTest {
  private static final long TICKS_OF_A_MILLI = 1_000;
  private static final long TICKS_OF_A_SECOND = 1_000_000;
  private static final int THOUSANDTHS = 3;

  /** The cost header of rules that let clients set the cost. */
  private static final String COST =
      ", cost_source: \"header:x-cost\", default_cost: 1, min_cost: 0.001";

  private final ManualClock clock = new ManualClock();

  @TempDir private Path folder;

  /** A request at a time, and the expected response. */
  private record Row(
      String name, String rule, long now, long cost, boolean allowed, long remaining, Wait again) {}

  /** The time until the request may be retried, in ticks. */
  private record Wait(boolean isGolden, boolean never, long ticks) {}

  private static List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    for (List<GoldenVectors.Row> trace : GoldenVectors.read()) {
      GoldenVectors.Row first = trace.get(0);
      if (!first.name().startsWith("honest") || first.periodMillis() % 1_000 != 0) {
        continue; // Policies have whole seconds, and one limit per rule.
      }
      String rule =
          "rate: %s/%ds, burst: %s"
              .formatted(
                  first.rate().toPlainString(),
                  first.periodMillis() / 1_000,
                  tokens(first.burst()));
      for (GoldenVectors.Row row : trace) {
        if (row.op() != Op.TAKE || row.delay() > 0) {
          break;
        }
        // A request that would be delayed gets another retry hint.
        Wait wait = new Wait(row.maxDelay() == 0, row.neverAllowed(), row.retryAfter());
        rows.add(
            new Row(row.name(), rule, row.now(), row.cost(), row.allowed(), row.remaining(), wait));
      }
    }
    for (GoldenWindows.Row row : GoldenWindows.read()) {
      if (row.window() % TICKS_OF_A_SECOND != 0) {
        continue;
      }
      String rule =
          "algorithm: %s, limit: %s, window: %ds"
              .formatted(
                  row.kind().name().toLowerCase(Locale.ROOT),
                  tokens(row.limit()),
                  row.window() / TICKS_OF_A_SECOND);
      Wait wait = new Wait(true, row.cost() > row.limit(), row.retryAfter());
      rows.add(
          new Row(row.name(), rule, row.now(), row.cost(), row.allowed(), row.remaining(), wait));
    }
    return rows;
  }

  /**
   * Returns the rows that clients can request, with a positive cost. After the clock has stepped
   * back, a peek may change later results, so a trace ends there.
   */
  private static List<Row> rowsOfClients() {
    List<Row> rows = new ArrayList<>();
    Map<String, Long> latest = new HashMap<>();
    for (Row row : rows()) {
      boolean isBack = row.now < latest.getOrDefault(row.name, 0L);
      latest.put(row.name, isBack ? Long.MAX_VALUE : row.now);
      if (!isBack && row.cost > 0) {
        rows.add(row);
      }
    }
    return rows;
  }

  private static String tokens(long thousandths) {
    return BigDecimal.valueOf(thousandths, THOUSANDTHS).stripTrailingZeros().toPlainString();
  }

  private static String policy(List<Row> rows, String cost) {
    StringBuilder policy = new StringBuilder("rules:\n");
    rows.stream()
        .map(
            row ->
                """
                  - {name: %s, group: %s, limit_keys: ["header:x-case"], match: {"header:x-case": %s}, %s%s}
                """
                    .formatted(row.name, row.name, row.name, row.rule, cost))
        .distinct()
        .forEach(policy::append);
    return policy.toString();
  }

  /** Starts a server and a proxy on the clock of the test, both with empty state. */
  private RunningServer start(String policy, String upstream) {
    return RunningServer.with(
        Map.of(
            Setting.POLICY,
            RunningServer.write(folder, policy).toString(),
            Setting.UPSTREAM,
            upstream,
            Setting.PROXY_HOST,
            "127.0.0.1",
            Setting.PROXY_PORT,
            "0",
            Setting.RETRY_JITTER_PERCENT,
            "0"),
        clock);
  }

  @Test
  void check_onEveryTrace_givesTheGoldenAnswers() {
    List<Row> rows = rows();
    assertThat(rows).hasSizeGreaterThan(400);
    try (TestOrigin origin = new TestOrigin(request -> request.response().end());
        RunningServer server = start(policy(rows, ""), origin.url())) {
      for (Row row : rows) {
        clock.set(row.now * GoldenVectors.TICK_NANOS);
        String question =
            "{\"headers\":{\"x-case\":\"%s\"},\"cost\":%s}".formatted(row.name, tokens(row.cost));
        String body = server.check(question).body();
        assertThat(body)
            .as("%s", row)
            .startsWith("{\"allowed\":" + row.allowed + ",\"rule\":\"" + row.name + "\"")
            .contains("\"remaining\":" + tokens(row.remaining) + ",");
        if (row.again.isGolden) {
          String millis =
              row.again.never ? "null" : "" + roundedUp(row.again.ticks, TICKS_OF_A_MILLI);
          assertThat(body).as("%s", row).contains("\"retry_after_ms\":" + millis + ",");
        }
      }
    }
  }

  @Test
  void forwardAuth_onEveryTrace_givesTheGoldenAnswers() {
    List<Row> rows = rowsOfClients();
    try (TestOrigin origin = new TestOrigin(request -> request.response().end());
        RunningServer server = start(policy(rows, COST), origin.url())) {
      assertThat(rows).hasSizeGreaterThan(200);
      for (Row row : rows) {
        clock.set(row.now * GoldenVectors.TICK_NANOS);
        checkHeaders(row, server.forwardAuth("x-case", row.name, "x-cost", tokens(row.cost)));
      }
    }
  }

  @Test
  void proxy_onEveryTrace_givesTheGoldenAnswers() {
    List<Row> rows = rowsOfClients();
    try (TestOrigin origin = new TestOrigin(request -> request.response().end());
        RunningServer server = start(policy(rows, COST), origin.url())) {
      URI front = URI.create("http://127.0.0.1:" + server.server().proxyPort().orElseThrow());
      for (Row row : rows) {
        clock.set(row.now * GoldenVectors.TICK_NANOS);
        checkHeaders(
            row,
            RunningServer.send(
                HttpRequest.newBuilder(front)
                    .version(HttpClient.Version.HTTP_1_1)
                    .headers("x-case", row.name, "x-cost", tokens(row.cost))));
      }
      assertThat(origin.reached()).isEqualTo(rows.stream().filter(Row::allowed).count());
    }
  }

  private static void checkHeaders(Row row, HttpResponse<String> answer) {
    assertThat(answer.statusCode()).as("%s", row).isEqualTo(row.allowed ? 200 : 429);
    assertThat(answer.headers().firstValue("RateLimit-Remaining"))
        .as("%s", row)
        .contains("" + row.remaining / 1_000);
    if (row.allowed || row.again.never) {
      assertThat(answer.headers().firstValue("Retry-After")).as("%s", row).isEmpty();
    } else if (row.again.isGolden) {
      assertThat(answer.headers().firstValue("Retry-After"))
          .as("%s", row)
          .contains("" + Math.max(1, roundedUp(row.again.ticks, TICKS_OF_A_SECOND)));
    }
  }

  private static long roundedUp(long ticks, long unit) {
    return (ticks + unit - 1) / unit;
  }
}
