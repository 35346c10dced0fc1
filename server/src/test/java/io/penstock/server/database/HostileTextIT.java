package io.penstock.server.database;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import io.penstock.server.RunningServer;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Any text is stored unchanged or rejected; it is never executed, and never causes a 500. */
@Tag("full")
class HostileTextIT {
  private static final List<String> TEXTS =
      List.of(
          "'; DROP TABLE rate_limit_rule; --",
          "\"; DELETE FROM rate_limit_rule; --",
          "$$; SELECT pg_sleep(10); $$",
          "<script>alert(1)</script>",
          "a\0b",
          "x".repeat(10 << 10),
          "\ud800",
          "\u202e\u2028\r\n\t",
          "{user_id}",
          "%s%n${jndi}",
          "😀");

  @TempDir private static Path folder;
  private static String url;
  private static RunningServer server;
  private static RuleApi api;

  @BeforeAll
  static void start() {
    url = TestPostgres.migrated();
    server = DatabaseServer.start(url, folder);
    api = new RuleApi(server);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"name\":\"?\",\"limit_keys\":[\"k\"],\"rate\":\"1/s\"",
        "\"name\":\"a\",\"description\":\"?\",\"limit_keys\":[\"k\"],\"rate\":\"1/s\"",
        "\"name\":\"a\",\"limit_keys\":[\"?\"],\"rate\":\"1/s\"",
        "\"name\":\"a\",\"limit_keys\":[\"k\"],\"match\":{\"plan\":\"?\"},\"rate\":\"1/s\"",
        "\"name\":\"a\",\"limit_keys\":[\"k\"],\"match\":{\"tenant\":\"?\"},\"rate\":\"1/s\"",
        "\"name\":\"a\",\"limit_keys\":[\"k\"],\"match\":{\"?\":\"x\"},\"rate\":\"1/s\"",
        "\"name\":\"a\",\"limit_keys\":[],\"match\":{\"path\":\"/?\"},\"rate\":\"1/s\"",
        "\"name\":\"a\",\"limit_keys\":[\"k\"],\"group\":\"?\",\"rate\":\"1/s\"",
        "\"name\":\"a\",\"limit_keys\":[\"k\"],\"scope\":\"?\",\"rate\":\"1/s\"",
        "\"name\":\"a\",\"limit_keys\":[\"k\"],\"mode\":\"?\",\"rate\":\"1/s\"",
        "\"name\":\"a\",\"limit_keys\":[\"k\"],\"rate\":\"?\"",
        "\"name\":\"a\",\"limit_keys\":[\"k\"],\"cost_source\":\"?\",\"rate\":\"1/s\"",
        "\"name\":\"a\",\"limit_keys\":[\"k\"],\"algorithm\":\"fixed_window\",\"limit\":1,"
            + "\"window\":\"?\"",
      })
  void post_anyTextInAnyField_isStoredUnchangedOrRejected(String form) {
    for (String text : TEXTS) {
      TestPostgres.execute(url, "DELETE FROM rate_limit_rule");
      String body = "{\"rule\":{" + form.replace("?", quoted(text)) + "}}";
      HttpResponse<String> answer = api.post(body);
      assertThat(answer.statusCode()).as(body).isIn(201, 400);
      assertThat(answer.headers().firstValue("Content-Type").orElseThrow()).contains("json");
      String stored = TestPostgres.value(url, "SELECT count(*) FROM rate_limit_rule");
      assertThat(stored).isEqualTo(answer.statusCode() == 201 ? "1" : "0");
      if (answer.statusCode() == 201) {
        assertThat(RuleApi.json(answer).at("/changes/0/after/rule").toString())
            .contains(quoted(text));
      }
    }
  }

  @Test
  void query_anyTextInAnyParameter_isAnsweredOrRejected() {
    for (String text : TEXTS) {
      if (text.length() > 1_000 || text.equals("\ud800")) {
        continue;
      }
      for (String query :
          List.of(
              "/v1/violations?user=",
              "/v1/violations?address=",
              "/v1/violations?rule=",
              "/v1/violations?endpoint=",
              "/v1/violations?from=",
              "/v1/violations?after=",
              "/v1/violations?limit=",
              "/v1/violations/top?by=",
              "/v1/violations/top?by=user&rule=",
              "/v1/history?rule=",
              "/v1/history?before=",
              "/v1/rules?after=",
              "/v1/rules/")) {
        HttpResponse<String> answer = server.admin(query + RuleApi.encoded(text));
        assertThat(answer.statusCode()).as(query + text).isIn(200, 400, 404);
      }
    }
  }

  @Test
  void denied_anyTextInTheRequest_isRecorded() throws Exception {
    TestPostgres.execute(
        url,
        "DELETE FROM rate_limit_rule",
        "INSERT INTO rate_limit_rule (name, key_pattern, scope, rate, burst_capacity)"
            + " VALUES ('one', 'user:{user_id}', 'user', '1/h', 1)");
    await().until(() -> server.admin("/v1/policy").body().contains("\"name\":\"one\""));
    for (String text : TEXTS) {
      String question =
          "{\"path\":\"/%s\",\"attributes\":{\"user_id\":\"%s\"}}"
              .formatted(quoted(text), quoted(text));
      server.check(question);
      server.check(question);
    }
    String denied = server.admin("/metrics").body();
    assertThat(denied).contains("penstock_violations_total{outcome=\"dropped\"} 0.0");
    await()
        .until(
            () ->
                TestPostgres.value(url, "SELECT coalesce(sum(denied), 0) FROM rate_limit_violation")
                    .equals(seen()));
    assertThat(
            TestPostgres.value(
                url, "SELECT count(*) FROM rate_limit_violation WHERE user_id LIKE '%DROP TABLE%'"))
        .isEqualTo("1");
  }

  /** Quotes a text as JSON; lone surrogates are escaped, because UTF-8 can't encode them. */
  private static String quoted(String text) {
    return new String(JsonStringEncoder.getInstance().quoteAsString(text))
        .replace("\ud800", "\\ud800");
  }

  private static String seen() {
    return server
        .admin("/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith("penstock_violations_total{outcome=\"seen\"}"))
        .map(line -> line.substring(line.indexOf(' ') + 1).replace(".0", ""))
        .findFirst()
        .orElse("none");
  }
}
