package io.penstock.server;

import static io.penstock.testing.Waiting.await;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.server.http.AccessTokens;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The endpoints for figures in memory, on a running server. */
class FiguresTest {
  private static final String POLICY =
      """
      rules:
        - name: login
          limit_keys: [user_id]
          rate: 1/h
          burst: 1
        - name: tool
          limit_keys: ["header:x-api-key"]
          match: {path: /tool}
          rate: 1/h
          burst: 1
        - name: trial
          limit_keys: ["ip:address"]
          match: {path: /trial}
          rate: 1/h
          burst: 1
          mode: shadow
      """;
  private static final String HOSTILE = "<script>alert(1)</script>\u0000\u001b[2J\u2028\"\\";
  private static final ObjectMapper JSON = new ObjectMapper();

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

  private static String user(String id) {
    try {
      return JSON.writeValueAsString(Map.of("attributes", Map.of("user_id", id)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void check(String question, int times) {
    for (int i = 0; i < times; i++) {
      assertThat(server.check(question).statusCode()).isEqualTo(200);
    }
  }

  private JsonNode admin(String path) throws IOException {
    return JSON.readTree(server.admin(path).body());
  }

  @Test
  void top_afterDenials_listsKeysInDescendingOrder() throws Exception {
    check(user("zoe"), 4);
    check(user("max"), 3);
    check(user("tim"), 1);
    JsonNode top = admin("/v1/top");
    assertThat(top.get("window_seconds").asInt()).isEqualTo(900);
    assertThat(top.get("denied").asInt()).isEqualTo(5);
    assertThat(top.get("keys")).hasSize(2);
    JsonNode first = top.get("keys").get(0);
    assertThat(first.get("rule").asText()).isEqualTo("login");
    assertThat(first.get("key").asText()).isEqualTo("user_id=zoe");
    assertThat(first.get("denied").asInt()).isEqualTo(3);
    assertThat(first.get("error").asInt()).isZero();
    assertThat(admin("/v1/top?limit=1").get("keys")).hasSize(1);
    assertThat(admin("/v1/top?rule=tool").get("keys")).isEmpty();
    assertThat(admin("/v1/top?rule=login").get("keys")).hasSize(2);
  }

  @Test
  void top_privateAndHostileKeys_areHashedAndEscaped() throws Exception {
    check("{\"path\":\"/tool\",\"headers\":{\"x-api-key\":\"sesame\"}}", 2);
    check(user(HOSTILE), 2);
    String body = server.admin("/v1/top").body();
    assertThat(body).doesNotContain("sesame").contains("header:x-api-key=#");
    assertThat(body.chars()).allMatch(c -> c >= ' ' && c < 0x7f);
    assertThat(JSON.readTree(body).get("keys").findValuesAsText("key"))
        .anyMatch(key -> key.startsWith("user_id=<script>alert(1)</script>%00%1B[2J%u2028%22%5C"));
  }

  @Test
  void activity_moreRulesThanTheStreamHas_hasAll() throws Exception {
    StringBuilder policy = new StringBuilder("rules:\n");
    StringBuilder checks = new StringBuilder();
    for (int i = 0; i < 60; i++) {
      policy.append(
          "  - {name: r%d, limit_keys: [], match: {path: /%d}, rate: 1/h, burst: 1}\n"
              .formatted(i, i));
      checks.append(i == 0 ? "" : ",").append("{\"path\":\"/%d\"}".formatted(i));
    }
    try (RunningServer many = RunningServer.serving(folder, policy.toString())) {
      many.post("/v1/check/batch", "{\"checks\":[" + checks + "]}");
      await()
          .until(() -> JSON.readTree(many.admin("/v1/activity").body()).get("rules").size() == 60);
      JsonNode activity = JSON.readTree(many.admin("/v1/activity").body());
      assertThat(activity.get("seconds").asInt()).isEqualTo(60);
      assertThat(activity.get("rules").get(0).get("allowed").asInt()).isEqualTo(1);
      assertThat(activity.get("rules").get(0).get("mode").asText()).isEqualTo("enforce");
    }
  }

  @Test
  void top_invalidParameters_areRejected() {
    assertThat(server.admin("/v1/top?rule=nope").statusCode()).isEqualTo(404);
    assertThat(server.admin("/v1/top?limit=0").statusCode()).isEqualTo(400);
    assertThat(server.admin("/v1/top?by=rule").statusCode()).isEqualTo(400);
  }

  @Test
  void timeline_afterDecisions_countsThem() throws Exception {
    check(user("zoe"), 4);
    check("{\"ip\":\"192.0.2.1\",\"path\":\"/trial\"}", 3);
    await()
        .untilAsserted(
            () -> {
              JsonNode all = admin("/v1/timeline");
              assertThat(sum(all, "allowed")).isEqualTo(4);
              assertThat(sum(all, "denied")).isEqualTo(3);
              assertThat(sum(all, "shadow_denied")).isEqualTo(2);
            });
    JsonNode all = admin("/v1/timeline?resolution=second&points=900");
    assertThat(all.get("step_seconds").asInt()).isEqualTo(1);
    for (String name : List.of("allowed", "denied", "degraded", "shadow_denied", "p50_us")) {
      assertThat(all.get(name)).hasSameSizeAs(all.get("p99_us"));
    }
    assertThat(all.get("p99_us")).anyMatch(JsonNode::isNumber);
    JsonNode rule = admin("/v1/timeline?rule=login");
    assertThat(sum(rule, "denied")).isEqualTo(3);
    assertThat(sum(rule, "allowed")).isEqualTo(1);
    assertThat(rule.get("p50_us")).hasSameSizeAs(rule.get("allowed"));
    assertThat(rule.get("p99_us")).anyMatch(JsonNode::isNumber);
    assertThat(admin("/v1/timeline?rule=tool").get("p99_us")).allMatch(JsonNode::isNull);
    assertThat(sum(admin("/v1/timeline?rule=trial"), "shadow_denied")).isEqualTo(2);
    assertThat(sum(admin("/v1/timeline?rule=tool"), "allowed")).isZero();
  }

  private static long sum(JsonNode timeline, String name) {
    long sum = 0;
    for (JsonNode count : timeline.get(name)) {
      sum += count.asLong();
    }
    return sum;
  }

  @Test
  void timeline_rejectedPath_isDenied() throws Exception {
    server.forwardAuth("X-Original-URI", "/a%2fb", "X-Original-Method", "GET");
    await().until(() -> sum(admin("/v1/timeline"), "denied") == 1);
    assertThat(sum(admin("/v1/timeline"), "allowed")).isZero();
  }

  @Test
  void timeline_invalidParameters_areRejected() {
    assertThat(server.admin("/v1/timeline?rule=nope").statusCode()).isEqualTo(404);
    assertThat(server.admin("/v1/timeline?resolution=hour").statusCode()).isEqualTo(400);
    assertThat(server.admin("/v1/timeline?points=901").statusCode()).isEqualTo(400);
    assertThat(server.admin("/v1/timeline?resolution=minute&points=1440").statusCode())
        .isEqualTo(200);
  }

  @Test
  void violations_withoutDatabase_areThoseInMemory() throws Exception {
    check("{\"ip\":\"192.0.2.1\",\"path\":\"/a\",\"attributes\":{\"user_id\":\"zoe\"}}", 3);
    check("{\"ip\":\"192.0.2.7\",\"path\":\"/b\",\"attributes\":{\"user_id\":\"max\"}}", 2);
    JsonNode page = admin("/v1/violations?user=zoe");
    assertThat(page.get("source").asText()).isEqualTo("memory");
    JsonNode first = page.get("violations").get(0);
    assertThat(first.get("key").asText()).isEqualTo("user_id=zoe");
    assertThat(first.get("address").asText()).isEqualTo("192.0.2.1");
    assertThat(first.get("endpoint").asText()).isEqualTo("/a");
    assertThat(first.get("reason").asText()).isNotEmpty();
    OpenApiDocument.assertDocumented("/v1/violations", "get", server.admin("/v1/violations"));
    HttpResponse<String> top = server.admin("/v1/violations/top?by=address");
    OpenApiDocument.assertDocumented("/v1/violations/top", "get", top);
    assertThat(JSON.readTree(top.body()).get("offenders").get(0).get("value").asText())
        .isEqualTo("192.0.2.1");
  }

  @Test
  void violations_ofAKey_areThoseOfTheKeyOnly() throws Exception {
    check("{\"path\":\"/tool\",\"headers\":{\"x-api-key\":\"sesame\"}}", 2);
    check("{\"path\":\"/tool\",\"headers\":{\"x-api-key\":\"open\"}}", 3);
    JsonNode all = admin("/v1/violations?rule=tool").get("violations");
    assertThat(all).isNotEmpty();
    String key = all.get(0).get("key").asText();
    String filter = "?rule=tool&key=" + URLEncoder.encode(key, UTF_8);
    assertThat(admin("/v1/violations" + filter).get("violations").findValuesAsText("key"))
        .isNotEmpty()
        .containsOnly(key);
    HttpResponse<String> histogram = server.admin("/v1/violations/histogram" + filter);
    OpenApiDocument.assertDocumented("/v1/violations/histogram", "get", histogram);
    long expected = 0;
    for (JsonNode row : admin("/v1/violations" + filter).get("violations")) {
      expected += row.get("denied").asLong();
    }
    assertThat(sum(JSON.readTree(histogram.body()), "denied")).isEqualTo(expected);
    assertThat(server.admin("/v1/violations/histogram?bars=501").statusCode()).isEqualTo(400);
    assertThat(server.admin("/v1/violations/histogram?after=1").statusCode()).isEqualTo(400);
    String future = Instant.now().plusSeconds(60).toString();
    assertThat(sum(admin("/v1/violations/histogram?from=" + future), "denied")).isZero();
  }

  @Test
  void key_hashedInRecords_canBeReadAndResetByItsRecordedForm() throws Exception {
    check("{\"path\":\"/tool\",\"headers\":{\"x-api-key\":\"sesame\"}}", 2);
    String key = admin("/v1/top?rule=tool").get("keys").get(0).get("key").asText();
    assertThat(key).startsWith("header:x-api-key=#");
    String body = JSON.writeValueAsString(Map.of("rule", "tool", "key", key));
    JsonNode seen = JSON.readTree(server.admin("/v1/keys/peek", body).body());
    assertThat(seen.get("key").asText()).isEqualTo(key);
    assertThat(seen.get("levels").get(0).get("remaining").asInt()).isZero();
    JsonNode reset = JSON.readTree(server.admin("/v1/keys/reset", body).body());
    assertThat(reset.get("levels").get(0).get("remaining").asInt()).isEqualTo(1);
    for (String other : List.of("login", "trial")) {
      String wrong = JSON.writeValueAsString(Map.of("rule", other, "key", key));
      assertThat(server.admin("/v1/keys/peek", wrong).statusCode()).isEqualTo(400);
    }
    String unknown = JSON.writeValueAsString(Map.of("rule", "nope", "key", key));
    assertThat(server.admin("/v1/keys/peek", unknown).statusCode()).isEqualTo(404);
  }

  @Test
  void violations_clientThatAcceptsGzip_areCompressed() throws Exception {
    for (int i = 0; i < 20; i++) {
      check(user("user" + i), 2);
    }
    HttpRequest request =
        server.administration("/v1/violations").header("Accept-Encoding", "gzip").build();
    HttpResponse<byte[]> response =
        HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofByteArray());
    assertThat(response.headers().firstValue("Content-Encoding")).contains("gzip");
    assertThat(response.headers().firstValue("Vary")).contains("Accept-Encoding");
    byte[] content = new GZIPInputStream(new ByteArrayInputStream(response.body())).readAllBytes();
    assertThat(JSON.readTree(content).get("violations")).hasSizeGreaterThanOrEqualTo(20);
    assertThat(response.body()).hasSizeLessThan(content.length / 2);
  }

  @Test
  void violations_turnedOff_areNotRecorded() {
    try (RunningServer off = RunningServer.with(Map.of(Setting.VIOLATIONS, "false"))) {
      assertThat(off.admin("/v1/violations").statusCode()).isEqualTo(404);
    }
  }

  @Test
  void session_withAndWithoutTokens_returnsNameAndRole() {
    assertThat(server.admin("/v1/session").body()).isEqualTo("{\"name\":null,\"role\":\"write\"}");
    String hash = AccessTokens.hashOf("read-token");
    try (RunningServer secured =
        RunningServer.with(Map.of(Setting.ADMIN_TOKENS, "read:ops:" + hash))) {
      assertThat(secured.admin("/v1/session").statusCode()).isEqualTo(401);
      for (String path : List.of("/v1/top", "/v1/timeline", "/v1/violations", "/v1/stream")) {
        assertThat(secured.admin(path).statusCode()).as(path).isEqualTo(401);
      }
      assertThat(send(secured, "GET", "/v1/session", "").body())
          .isEqualTo("{\"name\":\"ops\",\"role\":\"read\"}");
      assertThat(send(secured, "GET", "/v1/top", "").statusCode()).isEqualTo(200);
      assertThat(send(secured, "GET", "/v1/timeline", "").statusCode()).isEqualTo(200);
      String steady = "{\"rate\":\"1/s\",\"pattern\":{\"kind\":\"steady\",\"rate\":1}}";
      assertThat(send(secured, "POST", "/v1/simulate", steady).statusCode()).isEqualTo(200);
      String rule = "{\"mode\":\"shadow\",\"rule\":\"login\"}";
      assertThat(send(secured, "POST", "/v1/mode", rule).statusCode()).isEqualTo(403);
    }
  }

  private static HttpResponse<String> send(
      RunningServer server, String method, String path, String body) {
    return RunningServer.send(
        server
            .administration(path)
            .header("Authorization", "Bearer read-token")
            .method(method, HttpRequest.BodyPublishers.ofString(body)));
  }
}
