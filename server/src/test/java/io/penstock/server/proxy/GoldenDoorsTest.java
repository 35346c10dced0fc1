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
 * P11: the doors give the golden answers, rounded as each of them says. Of a trace, so much is
 * asked for as can be asked for by HTTP: until tokens are charged, given back, or promised for
 * later.
 */
class GoldenDoorsTest {
  private static final long TICKS_OF_A_MILLI = 1_000;
  private static final long TICKS_OF_A_SECOND = 1_000_000;
  private static final int THOUSANDTHS = 3;

  /** Of rules that let clients say it. */
  private static final String COST =
      ", cost_source: \"header:x-cost\", default_cost: 1, min_cost: 0.001";

  private final ManualClock clock = new ManualClock();

  @TempDir private Path folder;

  /** What is asked for at a time, and what is to be said. */
  private record Row(
      String name, String rule, long now, long cost, boolean allowed, long remaining, Wait again) {}

  /** How long until it may be asked for again, in ticks. */
  private record Wait(boolean isGolden, boolean never, long ticks) {}

  private static List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    for (List<GoldenVectors.Row> trace : GoldenVectors.read()) {
      GoldenVectors.Row first = trace.get(0);
      if (!first.name().startsWith("honest") || first.periodMillis() % 1_000 != 0) {
        continue; // A period is whole seconds in a policy, and a limit is of its rule.
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
        // Who would wait is told something else about when to come back.
        Wait wait = new Wait(row.maxDelay() == 0, row.never(), row.retryAfter());
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
   * What clients can ask for, whose costs are more than nothing. Whoever looks after the clock was
   * set back may change what comes later, so a trace ends there.
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

  /** A service and a proxy on our clock, which both start anew. */
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
