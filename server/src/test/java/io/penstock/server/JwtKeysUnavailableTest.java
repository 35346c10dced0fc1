package io.penstock.server;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.proxy.LoggedWarnings;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The token issuer is unavailable from the start. */
class JwtKeysUnavailableTest {
  private static final String POLICY =
      """
      jwt: {jwks_url: "http://user:hunter2@127.0.0.1:1/keys?token=hunter2"}
      rules:
        - {name: open, limit_keys: ["jwt:sub"], match: {path: /open}, rate: 1/h,
           on_store_failure: open}
        - {name: closed, limit_keys: ["jwt:sub"], match: {path: /closed}, rate: 1/h,
           on_store_failure: closed}
        - {name: local, limit_keys: ["jwt:sub"], match: {path: /local}, rate: 1/h,
           on_store_failure: local}
      """;

  private static final String TOKEN =
      "Bearer " + part("{\"alg\":\"RS256\",\"kid\":\"k\"}") + "." + part("{\"sub\":\"a\"}") + ".AA";

  @TempDir private static Path folder;
  private static LoggedWarnings log;
  private static RunningServer server;

  private static String part(String json) {
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(json.getBytes(StandardCharsets.UTF_8));
  }

  @BeforeAll
  static void start() {
    log = new LoggedWarnings();
    server = RunningServer.serving(folder, POLICY);
  }

  @AfterAll
  static void stop() {
    server.close();
    log.close();
  }

  private static HttpResponse<String> ask(String path, String client) {
    return server.forwardAuth(
        "X-Forwarded-Uri", path, "X-Forwarded-For", client, "Authorization", TOKEN);
  }

  @Test
  void forwardAuth_openRule_passes() {
    for (int i = 0; i < 3; i++) {
      assertThat(ask("/open", "203.0.113.1").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void forwardAuth_closedRule_isUnavailable() {
    HttpResponse<String> answer = ask("/closed", "203.0.113.1");

    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(answer.headers().firstValue("X-Penstock-Reason")).contains("jwt_keys_unavailable");
  }

  @Test
  void forwardAuth_localRule_limitsByAddress() {
    for (String client : new String[] {"203.0.113.1", "203.0.113.2"}) {
      assertThat(ask("/local", client).statusCode()).isEqualTo(200);
      assertThat(ask("/local", client).statusCode()).isEqualTo(429);
    }
  }

  @Test
  void readyz_isDegradedWithTheReason() {
    HttpResponse<String> answer = server.admin("/readyz");

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body())
        .contains("\"degraded\":true", "\"jwt\":{\"keys\":0,", "\"problem\":\"no response: ")
        .doesNotContain("hunter2");
  }

  @Test
  void log_hasTheAddressAndTheReasonWithoutSecrets() {
    String start = "cannot fetch token keys from http://127.0.0.1:1/keys (no response: ";
    await("logged").until(() -> log.messages().stream().anyMatch(line -> line.startsWith(start)));

    assertThat(log.messages())
        .noneMatch(line -> line.contains("hunter2"))
        .filteredOn(line -> line.startsWith(start))
        .singleElement()
        .asString()
        .endsWith("rules by jwt: claims fall back to on_store_failure");
    assertThat(log.stackTraces()).isEmpty();
  }

  @Test
  void metrics_countFailuresAndDecisions() {
    ask("/open", "203.0.113.1");

    assertThat(server.admin("/metrics").body().lines())
        .anyMatch(
            line ->
                line.matches("penstock_jwt_fetch_failures_total\\{reason=\"connection\"} [1-9].*"))
        .anyMatch(
            line ->
                line.matches(
                    "penstock_degraded_total\\{reason=\"jwt_keys_unavailable\",rule=\"open\"}"
                        + " [1-9].*"))
        .contains("penstock_jwt_keys 0.0");
  }
}
