package io.penstock.server;

import static io.penstock.testing.Waiting.await;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testing.ManualClock;
import io.penstock.testing.Ports;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ForwardAuthTest {
  private static final String POLICY =
      """
      rules:
        - name: login
          limit_keys: ["ip:address"]
          match: {method: POST, path: /login, host: shop.example}
          rate: 6/min
          burst: 2
        - name: slow
          limit_keys: []
          match: {path: /slow}
          rate: 10/s
          burst: 1
          on_limit: delay
          max_delay_ms: 5000
      """;

  @TempDir private Path folder;

  @Test
  void forwardAuth_untilTheBurstIsUsedUp_hasEveryHeaderRight() {
    Map<Setting, String> settings =
        Map.of(Setting.POLICY, RunningServer.write(folder, POLICY).toString());
    try (RunningServer server = RunningServer.with(settings, new ManualClock())) {
      HttpResponse<String> first = login(server, "X-Original-");
      assertThat(first.statusCode()).isEqualTo(200);
      assertThat(first.body()).isEmpty();
      assertThat(headers(first))
          .containsEntry("ratelimit-limit", "2")
          .containsEntry("ratelimit-remaining", "1")
          .containsEntry("ratelimit-reset", "10")
          .containsEntry("ratelimit", "\"login\";r=1;t=10")
          .containsEntry("ratelimit-policy", "\"login\";q=2;w=20")
          .doesNotContainKey("retry-after");
      login(server, "X-Original-");

      HttpResponse<String> denied = login(server, "X-Original-");
      assertThat(denied.statusCode()).isEqualTo(429);
      assertThat(headers(denied))
          .containsEntry("ratelimit-remaining", "0")
          .containsEntry("ratelimit-reset", "10")
          .containsEntry("x-penstock-reason", "token_bucket_exceeded")
          .containsEntry("content-type", "application/problem+json");
      assertThat(Integer.parseInt(headers(denied).get("retry-after"))).isBetween(10, 15);
      assertThat(denied.body()).contains("quota-exceeded").contains("[\"login\"]");
    }
  }

  @Test
  void forwardAuth_originalOrForwardedHeaders_areEquivalent() {
    try (RunningServer server = RunningServer.serving(folder, POLICY)) {
      assertThat(headers(login(server, "X-Original-"))).containsEntry("ratelimit-remaining", "1");
      assertThat(headers(login(server, "X-Forwarded-"))).containsEntry("ratelimit-remaining", "0");
    }
  }

  @Test
  void forwardAuth_pathAppendedToItsOwn_isDecided() {
    try (RunningServer server = RunningServer.serving(folder, POLICY)) {
      HttpRequest.Builder request =
          server
              .decision("/v1/forward-auth/login?deny_status=403")
              .POST(HttpRequest.BodyPublishers.noBody())
              .header("X-Forwarded-Host", "shop.example");
      assertThat(headers(RunningServer.send(request))).containsEntry("ratelimit-remaining", "1");
    }
  }

  @Test
  void forwardAuth_variantsOfAPath_shareABucket() {
    try (RunningServer server = RunningServer.serving(folder, POLICY)) {
      for (String uri : new String[] {"//login", "/%6cogin?x=1", "/a/../login"}) {
        HttpResponse<String> answer =
            server.forwardAuth(
                "X-Original-Method",
                "POST",
                "X-Original-URI",
                uri,
                "X-Original-Host",
                "SHOP.example:443");
        assertThat(headers(answer)).as(uri).containsKey("ratelimit-limit");
      }
    }
  }

  @Test
  void forwardAuth_denyStatus_replaces429() {
    try (RunningServer server = RunningServer.serving(folder, POLICY)) {
      login(server, "X-Original-");
      login(server, "X-Original-");
      HttpRequest.Builder request =
          RunningServer.headers(
              server.decision("/v1/forward-auth?deny_status=403"), loginHeaders("X-Original-"));
      HttpResponse<String> denied = RunningServer.send(request);
      assertThat(denied.statusCode()).isEqualTo(403);
      assertThat(denied.body()).contains("\"status\":403,");
      for (String bad : new String[] {"200", "x", "600", ""}) {
        assertThat(
                RunningServer.send(server.decision("/v1/forward-auth?deny_status=" + bad))
                    .statusCode())
            .isEqualTo(400);
      }
    }
  }

  @Test
  void forwardAuth_clientAddress_isTakenFromTheProxy() {
    try (RunningServer server = RunningServer.serving(folder, POLICY)) {
      for (int i = 0; i < 2; i++) {
        server.forwardAuth(with("X-Forwarded-For", "198.51.100.1"));
      }
      assertThat(server.forwardAuth(with("X-Forwarded-For", "198.51.100.1")).statusCode())
          .isEqualTo(429);
      assertThat(server.forwardAuth(with("X-Forwarded-For", "198.51.100.2")).statusCode())
          .isEqualTo(200);
    }
  }

  @Test
  void forwardAuth_clientDisconnectsWhileHeld_isRefunded() throws Exception {
    try (RunningServer server = delaying(1)) {
      assertThat(server.forwardAuth().statusCode()).isEqualTo(200);
      try (Socket held = server.connect()) {
        held.getOutputStream()
            .write("GET /v1/forward-auth HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(US_ASCII));
        await().until(() -> peek(server).contains("\"reset_after_ms\":600000"));
      }
      await().until(() -> peek(server).contains("\"reset_after_ms\":300000"));
    }
  }

  @Test
  void forwardAuth_tooManyDelayed_isDeniedAndRefunded() {
    try (RunningServer server = delaying(0)) {
      assertThat(server.forwardAuth().statusCode()).isEqualTo(200);
      for (int i = 0; i < 3; i++) {
        HttpResponse<String> denied = server.forwardAuth();
        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(headers(denied))
            .containsEntry("x-penstock-reason", "token_bucket_exceeded")
            .containsEntry("ratelimit-remaining", "0")
            .containsEntry("content-type", "application/problem+json")
            .containsKeys("ratelimit", "ratelimit-policy", "retry-after");
        assertThat(denied.body())
            .contains("\"violated-policies\":[\"slow\"]", "\"retry_after_ms\":300000");
        assertThat(peek(server)).contains("\"reset_after_ms\":300000");
      }
    }
  }

  @Test
  void forwardAuth_tooManyDelayed_isDeniedWithTheDenyStatus() {
    try (RunningServer server = delaying(0)) {
      assertThat(server.forwardAuth().statusCode()).isEqualTo(200);
      HttpResponse<String> denied =
          RunningServer.send(server.decision("/v1/forward-auth?deny_status=403"));
      assertThat(denied.statusCode()).isEqualTo(403);
      assertThat(denied.body()).contains("\"status\":403,");
      assertThat(headers(denied)).containsEntry("x-penstock-reason", "token_bucket_exceeded");
    }
  }

  @Test
  void forwardAuth_ruleFailsClosed_isDeniedWithTheReason() {
    try (RunningServer server = failingClosed()) {
      HttpResponse<String> denied = server.forwardAuth();
      assertThat(denied.statusCode()).isEqualTo(503);
      assertThat(headers(denied)).containsEntry("x-penstock-reason", "store_unavailable");
    }
  }

  /** Envoy appends the path, and treats every 5xx as a failure of Penstock. */
  @Test
  void forwardAuth_ruleFailsClosedAndPathIsAppended_isDeniedWith429() {
    try (RunningServer server = failingClosed()) {
      HttpResponse<String> denied =
          RunningServer.send(server.decision("/v1/forward-auth/vault?deny_status=503"));
      assertThat(denied.statusCode()).isEqualTo(429);
      assertThat(headers(denied)).containsEntry("x-penstock-reason", "store_unavailable");
      assertThat(denied.body()).contains("#temporary-reduced-capacity", "\"status\":429");
      assertThat(RunningServer.send(server.decision("/v1/forward-auth/a%2Fb")).statusCode())
          .isEqualTo(400);
    }
  }

  /** A rule that denies, because its Redis is unreachable. */
  private RunningServer failingClosed() {
    String policy =
        """
        rules:
          - {name: vault, limit_keys: [], rate: 1/s, on_store_failure: closed}
        """;
    return RunningServer.with(
        Map.of(
            Setting.POLICY,
            RunningServer.write(folder, policy).toString(),
            Setting.REDIS,
            "redis://127.0.0.1:" + Ports.free()));
  }

  /** A policy that allows one request in five minutes immediately. The clock does not advance. */
  private RunningServer delaying(int max) {
    String policy =
        """
        rules:
          - name: slow
            limit_keys: []
            rate: 1/5min
            burst: 1
            on_limit: delay
            max_delay_ms: 600000
        """;
    return RunningServer.with(
        Map.of(
            Setting.POLICY,
            RunningServer.write(folder, policy).toString(),
            Setting.MAX_DELAYED,
            String.valueOf(max)),
        new ManualClock());
  }

  private static String peek(RunningServer server) {
    return server.admin("/v1/keys/peek", "{\"rule\":\"slow\",\"key\":{}}").body();
  }

  @Test
  void forwardAuth_delayRule_holdsTheResponse() {
    try (RunningServer server = RunningServer.serving(folder, POLICY)) {
      long begin = System.nanoTime();
      for (int i = 0; i < 4; i++) {
        assertThat(server.forwardAuth("X-Original-URI", "/slow").statusCode()).isEqualTo(200);
      }
      assertThat(System.nanoTime() - begin).isGreaterThan(290_000_000L);
    }
  }

  @Test
  void forwardAuth_headerForm_isAsSet() {
    Map<Setting, String> flags =
        Map.of(
            Setting.POLICY,
            RunningServer.write(folder, POLICY).toString(),
            Setting.HEADERS,
            "x-ratelimit");
    try (RunningServer server = RunningServer.with(flags)) {
      assertThat(headers(login(server, "X-Original-")))
          .containsEntry("x-ratelimit-limit", "2")
          .doesNotContainKeys("ratelimit", "ratelimit-limit");
    }
  }

  @Test
  void token_set_isRequired() {
    String token = "0123456789abcdef";
    Map<Setting, String> flags =
        Map.of(
            Setting.POLICY,
            RunningServer.write(folder, POLICY).toString(),
            Setting.TOKEN,
            token,
            Setting.ADMIN_TOKEN,
            token + token);
    try (RunningServer server = RunningServer.with(flags)) {
      HttpResponse<String> rejected = server.forwardAuth();
      assertThat(rejected.statusCode()).isEqualTo(401);
      assertThat(headers(rejected)).containsEntry("www-authenticate", "Bearer");
      assertThat(server.forwardAuth("Authorization", "Bearer " + token + "x").statusCode())
          .isEqualTo(401);
      assertThat(server.forwardAuth("Authorization", "Bearer " + token).statusCode())
          .isEqualTo(200);
      assertThat(server.admin("/v1/policy").statusCode()).isEqualTo(401);
      for (String open : new String[] {"/livez", "/readyz", "/metrics"}) {
        assertThat(server.admin(open).statusCode()).isEqualTo(200);
      }
    }
  }

  private static HttpResponse<String> login(RunningServer server, String kind) {
    return server.forwardAuth(loginHeaders(kind));
  }

  private static String[] loginHeaders(String kind) {
    return new String[] {
      kind + "Method", "POST", kind + "URI", "/login", kind + "Host", "shop.example"
    };
  }

  private static String[] with(String name, String value) {
    return new String[] {
      "X-Original-Method",
      "POST",
      "X-Original-URI",
      "/login",
      "X-Original-Host",
      "shop.example",
      name,
      value
    };
  }

  private static Map<String, String> headers(HttpResponse<String> response) {
    return response.headers().map().entrySet().stream()
        .collect(
            java.util.stream.Collectors.toMap(
                Map.Entry::getKey, entry -> String.join("|", entry.getValue())));
  }

  @Test
  void forwardAuth_pathsThatOriginsReadAsLogin_areLimitedOrRejected() {
    try (RunningServer server = RunningServer.serving(folder, POLICY)) {
      for (String path : new String[] {"/login;a=b", "/a/..;/login", "/;x/login", "/login"}) {
        assertThat(forwardAuthOf(server, path).statusCode()).as(path).isIn(200, 429);
        assertThat(headers(forwardAuthOf(server, path)))
            .as(path)
            .containsKey("ratelimit-remaining");
      }
      HttpResponse<String> rejected = forwardAuthOf(server, "/%2Flogin?x=%2F");
      assertThat(rejected.statusCode()).isEqualTo(400);
      assertThat(headers(rejected)).containsEntry("x-penstock-reason", "path_rejected");
      assertThat(rejected.body()).contains("\"reason\":\"path_rejected\"");
      HttpRequest.Builder nginx =
          server
              .decision("/v1/forward-auth?deny_status=403")
              .headers("X-Original-URI", "/%2Flogin", "X-Original-Method", "POST");
      assertThat(RunningServer.send(nginx).statusCode()).isEqualTo(403);
      assertThat(forwardAuthOf(server, "/other?x=%2F").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void forwardAuth_encodedControlCharacterInThePath_isRejected() {
    try (RunningServer server = RunningServer.serving(folder, POLICY)) {
      for (String path : new String[] {"/login%0A", "/login%0d%0a", "/%09login", "/login%7F"}) {
        HttpResponse<String> rejected = forwardAuthOf(server, path);
        assertThat(rejected.statusCode()).as(path).isEqualTo(400);
        assertThat(rejected.body()).as(path).contains("\"reason\":\"path_rejected\"");
      }
      assertThat(forwardAuthOf(server, "/other?x=%0A").statusCode()).isEqualTo(200);
    }
  }

  private static HttpResponse<String> forwardAuthOf(RunningServer server, String uri) {
    return server.forwardAuth(
        "X-Original-URI", uri, "X-Original-Method", "POST", "X-Original-Host", "shop.example");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://shop.example/login",
        "HTTPS://SHOP.EXAMPLE:8443/login?x=1",
        "http://shop.example//a/../%6cogin;v=1?x=http://other/",
      })
  void forwardAuth_absoluteUri_countsByItsPath(String uri) {
    try (RunningServer server = RunningServer.serving(folder, POLICY)) {
      assertThat(headers(forwardAuthOf(server, uri))).containsEntry("ratelimit-remaining", "1");
      assertThat(headers(forwardAuthOf(server, "/login")))
          .containsEntry("ratelimit-remaining", "0");
      assertThat(forwardAuthOf(server, uri).statusCode()).isEqualTo(429);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "X-Original-URI, /other, X-Original-URI and X-Forwarded-Uri must be equal",
    "X-Original-Method, GET, X-Original-Method and X-Forwarded-Method must be equal"
  })
  void forwardAuth_headersThatContradictEachOther_areRejected(
      String name, String forged, String detail) {
    try (RunningServer server = RunningServer.serving(folder, POLICY)) {
      HttpResponse<String> rejected =
          server.forwardAuth(
              name, forged, "X-Forwarded-Uri", "/login", "X-Forwarded-Method", "POST");
      assertThat(rejected.statusCode()).isEqualTo(400);
      assertThat(headers(rejected)).containsEntry("x-penstock-reason", "path_rejected");
      assertThat(rejected.body()).contains(detail);
    }
  }

  @Test
  void forwardAuth_hostsThatContradictEachOther_areRejected() {
    try (RunningServer server = RunningServer.serving(folder, POLICY)) {
      HttpResponse<String> rejected =
          server.forwardAuth(
              "X-Forwarded-Uri",
              "/login",
              "X-Forwarded-Host",
              "shop.example",
              "X-Original-Host",
              "other.example");
      assertThat(rejected.statusCode()).isEqualTo(400);
      assertThat(headers(rejected)).containsEntry("x-penstock-reason", "path_rejected");
      assertThat(rejected.body()).contains("X-Original-Host and X-Forwarded-Host must be equal");
      HttpResponse<String> counted =
          server.forwardAuth(
              "X-Forwarded-Uri",
              "/login",
              "X-Forwarded-Host",
              "Shop.example:443",
              "X-Original-Host",
              "shop.example");
      assertThat(counted.statusCode()).isEqualTo(200);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "/v1/forward-auth/login, X-Original-URI, /other, 400",
    "/v1/forward-auth/login, X-Forwarded-Uri, /other, 400",
    "/v1/forward-auth/, X-Original-URI, /other, 400",
    "/v1/forward-auth/login?a=b, X-Original-URI, /login?a=b, 200",
    "/v1/forward-auth, X-Original-URI, /login, 200",
  })
  void forwardAuth_uriThatContradictsThePath_isRejected(
      String path, String name, String uri, int status) {
    try (RunningServer server = RunningServer.serving(folder, POLICY)) {
      assertThat(RunningServer.send(server.decision(path).header(name, uri)).statusCode())
          .isEqualTo(status);
    }
  }

  @Test
  void forwardAuth_headersThatAgree_areCounted() {
    try (RunningServer server = RunningServer.serving(folder, POLICY)) {
      HttpResponse<String> answer =
          server.forwardAuth(
              "X-Original-Host",
              "shop.example",
              "X-Original-URI",
              "/login",
              "X-Forwarded-Uri",
              "/login",
              "X-Original-Method",
              "POST",
              "X-Forwarded-Method",
              "POST");
      assertThat(headers(answer)).containsEntry("ratelimit-remaining", "1");
    }
  }

  @Test
  void forwardAuth_absoluteUriWithoutHostHeader_usesHostOfUri() {
    try (RunningServer server = RunningServer.serving(folder, POLICY)) {
      HttpResponse<String> answer =
          server.forwardAuth(
              "X-Forwarded-Uri", "http://shop.example/login", "X-Forwarded-Method", "POST");
      assertThat(headers(answer)).containsEntry("ratelimit-remaining", "1");
      assertThat(server.forwardAuth("X-Forwarded-Uri", "http://shop.example").statusCode())
          .isEqualTo(200);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "login",
        "?/login",
        "./login",
        "//shop.example/login#",
        "/login#x",
        "/other#/../login",
        "/login?x=1#2",
        "http://other.example/login",
        "http://shop.example@other.example/login",
        "http://user@shop.example/login",
        "http:///login",
        "http:/login",
        "http:login",
        "ftp://shop.example/login",
        "shop.example:443",
        "\\login",
        "*",
      })
  void forwardAuth_uriThatOriginsReadInDifferentWays_isRejected(String uri) {
    try (RunningServer server = RunningServer.serving(folder, POLICY)) {
      HttpResponse<String> rejected = forwardAuthOf(server, uri);
      assertThat(rejected.statusCode()).isEqualTo(400);
      assertThat(headers(rejected)).containsEntry("x-penstock-reason", "path_rejected");
      assertThat(rejected.body()).contains("must begin with a slash");
      HttpRequest.Builder nginx =
          server
              .decision("/v1/forward-auth?deny_status=403")
              .headers("X-Original-URI", uri, "X-Original-Host", "shop.example");
      assertThat(RunningServer.send(nginx).statusCode()).isEqualTo(403);
    }
  }

  @Test
  void forwardAuth_asteriskOfOptions_isDecided() {
    try (RunningServer server = RunningServer.serving(folder, POLICY)) {
      HttpResponse<String> decided =
          server.forwardAuth("X-Original-URI", "*", "X-Original-Method", "OPTIONS");
      assertThat(decided.statusCode()).isEqualTo(200);
    }
  }

  @Test
  void forwardAuth_absoluteFormRequest_usesThePathAfterItsOwn() throws Exception {
    String request =
        """
        POST http://a/v1/forward-auth/login HTTP/1.1
        Host: a
        X-Forwarded-Host: shop.example
        Content-Length: 0
        Connection: close

        """;
    try (RunningServer server = RunningServer.serving(folder, POLICY);
        Socket socket = server.connect()) {
      socket.getOutputStream().write(request.replace("\n", "\r\n").getBytes(US_ASCII));
      assertThat(new String(socket.getInputStream().readAllBytes(), US_ASCII))
          .containsIgnoringCase("ratelimit-remaining: 1");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"X_Api_Key", "x.api.key"})
  void forwardAuth_otherSpellingOfAKeyHeader_isDenied(String name) {
    String policy = "rules: [{name: keys, limit_keys: ['header:x-api-key'], rate: 10/s}]";
    try (RunningServer server = RunningServer.serving(folder, policy)) {
      assertThat(server.forwardAuth("X-Api-Key", "k").statusCode()).isEqualTo(200);
      assertThat(server.forwardAuth(name, "k").statusCode()).isEqualTo(429);
      assertThat(server.check("{\"headers\": {\"" + name + "\": \"k\"}}").body())
          .contains("\"allowed\":false", "missing_key");
    }
  }
}
