package io.penstock.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.Payload;
import com.nimbusds.jose.crypto.MACSigner;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class CheckTest {
  private static final String POLICY =
      """
      rules:
        - name: two
          limit_keys: [user_id]
          rate: 1/h
          burst: 2
      """;

  private static final String SECRET = "0123456789abcdef0123456789abcdef";
  private static final String VERIFYING =
      """
      jwt: {secret: %s}
      rules: [{name: users, limit_keys: ["jwt:sub"], on_missing_key: deny, rate: 1/h, burst: 2}]
      """
          .formatted(SECRET);

  @TempDir private Path folder;
  private RunningServer server;

  @BeforeEach
  void start() {
    server = RunningServer.serving(folder, POLICY);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void check_untilTheBurstIsUsedUp_isAllowedThenDenied() {
    assertThat(server.check(user("a")).body()).startsWith("{\"allowed\":true,\"rule\":\"two\"");
    assertThat(server.check(user("a")).body()).contains("\"remaining\":0,");
    HttpResponse<String> denied = server.check(user("a"));
    assertThat(denied.statusCode()).isEqualTo(200);
    assertThat(denied.headers().firstValue("Content-Type")).hasValue("application/json");
    assertThat(denied.body())
        .startsWith("{\"allowed\":false,\"rule\":\"two\",\"reason\":\"token_bucket_exceeded\"");
    assertThat(server.check(user("b")).body()).contains("\"remaining\":1,");
  }

  @Test
  void check_dryRun_chargesNothing() {
    String question = "{\"attributes\":{\"user_id\":\"a\"},\"dry_run\":true}";
    assertThat(server.check(question).body()).contains("\"remaining\":1,");
    assertThat(server.check(question).body()).contains("\"remaining\":1,");
    assertThat(server.check(user("a")).body()).contains("\"remaining\":1,");
  }

  @Test
  void check_withCost_chargesTheCost() {
    assertThat(server.check("{\"attributes\":{\"user_id\":\"a\"},\"cost\":1.5}").body())
        .contains("\"remaining\":0.5,");
    assertThat(server.check("{\"attributes\":{\"user_id\":\"a\"},\"cost\":3}").body())
        .contains("cost_above_burst")
        .contains("\"retry_after_ms\":null");
  }

  @Test
  void check_noRuleApplies_isAllowedWithoutARule() {
    assertThat(server.check("{}").body()).startsWith("{\"allowed\":true,\"rule\":null,");
  }

  @Test
  void check_invalidDocument_reportsAllErrorsWithLocation() {
    HttpResponse<String> rejected =
        server.check("{\"ip\": \"nowhere\",\n \"atributes\": {}, \"cost\": -1}");
    assertThat(rejected.statusCode()).isEqualTo(400);
    assertThat(rejected.headers().firstValue("Content-Type")).hasValue("application/problem+json");
    assertThat(rejected.body())
        .contains("\"field\":\"ip\"")
        .contains("\"field\":\"atributes\"")
        .contains("attributes")
        .contains("\"field\":\"cost\"")
        .contains("\"line\":2,");
  }

  @Test
  void check_notJson_isRejectedWithPosition() {
    for (String body : new String[] {"", "{", "[1", "nothing", "{\"ip\":}", "{} {}", "\u0000"}) {
      HttpResponse<String> rejected = server.check(body);
      assertThat(rejected.statusCode()).as(body).isEqualTo(400);
      assertThat(rejected.body()).as(body).contains("\"line\":").doesNotContain("Exception");
    }
  }

  @Test
  void check_deeplyNestedDocument_isRejected() {
    String deep = "{\"jwt\":" + "[".repeat(10_000) + "]".repeat(10_000) + "}";
    assertThat(server.check(deep).statusCode()).isEqualTo(400);
  }

  @Test
  void batch_severalChecks_areDecidedInOrder() {
    String body =
        server
            .post("/v1/check/batch", batch(user("a"), user("a"), user("a"), user("b"), "{}"))
            .body();
    assertThat(body.split("\"allowed\":(?=[a-z]+,\"rule\")", -1)).hasSize(6);
    assertThat(body.replaceAll("\"limits\":\\[.*?\\]", ""))
        .containsSubsequence(
            "\"allowed\":true", "\"allowed\":true", "\"allowed\":false", "\"allowed\":true");
  }

  @Test
  void batch_oneInvalidCheck_decidesNone() {
    HttpResponse<String> rejected =
        server.post("/v1/check/batch", batch(user("a"), "{\"nonsense\":1}"));
    assertThat(rejected.statusCode()).isEqualTo(400);
    assertThat(rejected.body()).contains("\"field\":\"checks[1].nonsense\"");
    assertThat(server.check(user("a")).body()).contains("\"remaining\":1,");
  }

  @Test
  void batch_thousandChecks_isTheLimit() {
    String[] checks = IntStream.range(0, 1_000).mapToObj(i -> user("u" + i)).toArray(String[]::new);
    HttpResponse<String> all = server.post("/v1/check/batch", batch(checks));
    assertThat(all.statusCode()).isEqualTo(200);
    assertThat(all.body().split("\"limits\"", -1)).hasSize(1_001);

    String tooMany = IntStream.rangeClosed(0, 1_000).mapToObj(i -> "{}").collect(joining());
    HttpResponse<String> rejected =
        server.post("/v1/check/batch", "{\"checks\":[" + tooMany + "]}");
    assertThat(rejected.statusCode()).isEqualTo(400);
    assertThat(rejected.body()).contains("at most 1000");
  }

  @Test
  void batch_empty_isAnsweredEmpty() {
    assertThat(server.post("/v1/check/batch", "{\"checks\":[]}").body())
        .isEqualTo("{\"results\":[]}");
  }

  @Test
  void wrongMethodOrPath_isAProblem() {
    assertThat(RunningServer.send(server.decision("/v1/check")).statusCode()).isEqualTo(405);
    assertThat(RunningServer.send(server.decision("/v1/check")).headers().firstValue("Allow"))
        .hasValue("POST");
    assertThat(RunningServer.send(server.decision("/v1/chekc")).statusCode()).isEqualTo(404);
    assertThat(RunningServer.send(server.decision("/v1/policy")).statusCode()).isEqualTo(404);
  }

  private static java.util.stream.Collector<CharSequence, ?, String> joining() {
    return Collectors.joining(",");
  }

  private static String user(String id) {
    return "{\"attributes\":{\"user_id\":\"" + id + "\"}}";
  }

  private static String batch(String... questions) {
    return "{\"checks\":[" + String.join(",", questions) + "]}";
  }

  @Test
  void check_listOfSeveralValuesOfAKey_isDenied(@TempDir Path other) {
    String policy = "{name: keys, limit_keys: [\"header:x-api-key\"], rate: 1/h, burst: 2}";
    try (RunningServer keys = RunningServer.serving(other, policy)) {
      String several = keys.check("{\"headers\":{\"X-Api-Key\":[\"K\",\"r1\"]}}").body();
      assertThat(several)
          .startsWith("{\"allowed\":false,\"rule\":\"keys\",\"reason\":\"missing_key\"");
      String one = keys.check("{\"headers\":{\"X-Api-Key\":[\"K\"]}}").body();
      assertThat(one).contains("\"remaining\":1,");
      HttpResponse<String> response =
          keys.forwardAuth("X-Original-URI", "/", "X-Api-Key", "K", "X-Api-Key", "r2");
      assertThat(response.statusCode()).isEqualTo(429);
      assertThat(response.headers().firstValue("X-Penstock-Reason")).hasValue("missing_key");
    }
  }

  @Test
  void check_variantOfAPath_isLimitedOrRejected(@TempDir Path other) {
    String policy = "{name: login, limit_keys: [], match: {path: /login}, rate: 1/h, burst: 1}";
    try (RunningServer login = RunningServer.serving(other, policy)) {
      assertThat(login.check("{\"path\":\"/a/..;/lo%67in;b\"}").body())
          .contains("\"remaining\":0,");
      assertThat(login.check("{\"path\":\"//login\"}").body()).startsWith("{\"allowed\":false,");
      assertThat(login.check("{\"path\":\"/%2Flogin\"}").body())
          .startsWith("{\"allowed\":false,\"rule\":null,\"reason\":\"path_rejected\",");
      String batch = "{\"checks\":[{\"path\":\"/a%00\"},{\"path\":\"/b\"}]}";
      assertThat(login.post("/v1/check/batch", batch).body())
          .containsSubsequence("path_rejected", "{\"allowed\":true,");
      assertThat(login.check("{\"path\":\"/%2Flogin\",\"dry_run\":true}").body())
          .contains("path_rejected");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"/login?next=/", "/login#top", "http://shop.example/login?x", "login", "//login"})
  void check_pathWithQueryOrUrl_isLimited(String sent, @TempDir Path other) {
    String policy = "rules: [{name: login, limit_keys: [], match: {path: /login}, rate: 1/d}]";
    try (RunningServer limited = RunningServer.serving(other, policy)) {
      assertThat(limited.check("{\"path\":\"" + sent + "\"}").body())
          .contains("\"allowed\":true,\"rule\":\"login\"");
      assertThat(limited.check("{\"path\":\"/login\"}").body()).contains("\"allowed\":false");
    }
  }

  @Test
  void check_validTokenInTheHeaders_suppliesTheKey(@TempDir Path other) throws Exception {
    try (RunningServer verifying = RunningServer.serving(other, VERIFYING)) {
      assertThat(verifying.check(withToken(token("alice"))).body())
          .startsWith("{\"allowed\":true,\"rule\":\"users\"")
          .contains("\"remaining\":1,");
      String batch =
          batch(withToken(token("alice")), withToken(token("alice")), withToken(token("bob")));
      String body = verifying.post("/v1/check/batch", batch).body();
      assertThat(body.replaceAll("\"limits\":\\[.*?\\]", ""))
          .containsSubsequence(
              "\"allowed\":true", "\"remaining\":0,", "\"allowed\":false", "\"allowed\":true")
          .contains("\"remaining\":1,");
    }
  }

  @Test
  void check_invalidTokenInTheHeaders_isRejectedCountedAndExplained(@TempDir Path other) {
    String request = withToken("a.b.c");
    try (RunningServer verifying = RunningServer.serving(other, VERIFYING)) {
      assertThat(verifying.check(request).body()).contains("\"reason\":\"missing_key\"");
      assertThat(rejectedTokens(verifying)).isEqualTo(1);
      assertThat(verifying.post("/v1/check/batch", batch(request, request)).body())
          .contains("\"reason\":\"missing_key\"");
      assertThat(rejectedTokens(verifying)).isEqualTo(3);
      assertThat(verifying.admin("/v1/explain", request).body())
          .contains("jwt:sub is missing (token rejected: malformed)", "\"token\":\"malformed\"");
    }
  }

  private static double rejectedTokens(RunningServer server) {
    String metric = "penstock_jwt_rejected_total{reason=\"malformed\"} ";
    return server
        .admin("/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith(metric))
        .mapToDouble(line -> Double.parseDouble(line.substring(metric.length())))
        .sum();
  }

  private static String withToken(String token) {
    return "{\"headers\":{\"Authorization\":\"Bearer " + token + "\"}}";
  }

  private static String token(String subject) throws JOSEException {
    JWSObject token =
        new JWSObject(
            new JWSHeader(JWSAlgorithm.HS256), new Payload("{\"sub\":\"" + subject + "\"}"));
    token.sign(new MACSigner(SECRET));
    return token.serialize();
  }

  @Test
  void readyz_ruleThatForwardAuthCannotApply_isListed() {
    assertThat(server.admin("/readyz").body())
        .contains("/v1/forward-auth: rule two never applies: nothing supplies user_id");
  }
}
