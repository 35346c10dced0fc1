package io.penstock.server;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class AdminTest {
  private static final String POLICY =
      """
      rules:
        - name: two
          limit_keys: [user_id]
          rate: 1/h
          burst: 2
        - name: log
          limit_keys: ["header:x-api-key"]
          match: {path: /log}
          algorithm: sliding_window_log
          limit: 3
          window: 1h
        - name: "off"
          limit_keys: []
          mode: "off"
          rate: 1/s
          burst: 1
      """;
  private static final String A = "{\"attributes\":{\"user_id\":\"a\"}}";
  private static final String KEY_A = "{\"rule\":\"two\",\"key\":{\"user_id\":\"a\"}}";

  @TempDir private Path folder;
  private Path file;
  private RunningServer server;

  @BeforeEach
  void start() {
    file = RunningServer.write(folder, POLICY);
    server = RunningServer.serving(file);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void peek_key_returnsLevelAndChangesNothing() {
    server.check(A);
    for (int i = 0; i < 2; i++) {
      assertThat(server.admin("/v1/keys/peek", KEY_A).body())
          .startsWith(
              "{\"rule\":\"two\",\"key\":\"user_id=a\",\"levels\":[{\"limit\":2,\"remaining\":1");
    }
  }

  @Test
  void reset_key_isFull() {
    server.check(A);
    server.check(A);
    assertThat(server.admin("/v1/keys/reset", KEY_A).body()).contains("\"remaining\":2,");
    assertThat(server.check(A).body()).contains("\"remaining\":1,");
  }

  @Test
  void grant_key_addsTokensUpToFull() {
    server.check(A);
    server.check(A);
    String grant = "{\"rule\":\"two\",\"key\":{\"user_id\":\"a\"},\"tokens\":";
    assertThat(server.admin("/v1/keys/grant", grant + "1}").body()).contains("\"remaining\":1");
    assertThat(server.admin("/v1/keys/grant", grant + "50}").body()).contains("\"remaining\":2,");
    assertThat(server.admin("/v1/keys/grant", grant + "-1}").statusCode()).isEqualTo(400);
    assertThat(server.admin("/v1/keys/grant", KEY_A).body())
        .contains("tokens")
        .contains("required");
  }

  @Test
  void override_key_changesTheLimitOfThatKeyUntilItEnds() {
    String override = KEY_A.replace("}}", "},\"rate\":\"1/h\",\"burst\":5,\"for\":\"30m\"}");
    assertThat(server.admin("/v1/keys/override", override).body())
        .contains("\"limit\":5,\"remaining\":5,")
        .contains("\"override\":{\"rate\":\"1/h\",\"burst\":5");
    for (int i = 4; i >= 0; i--) {
      assertThat(server.check(A).body()).startsWith("{\"allowed\":true").contains("\"limit\":5");
    }
    assertThat(server.check(A).body()).startsWith("{\"allowed\":false");
    assertThat(server.check(A.replace("\"a\"", "\"b\"")).body()).contains("\"limit\":2");
    assertThat(server.admin("/v1/keys/overrides").body())
        .startsWith("{\"overrides\":[{\"rule\":\"two\",\"key\":\"user_id=a\",\"rate\":\"1/h\"");
    assertThat(server.admin("/v1/keys/override/end", KEY_A).body())
        .contains("\"limit\":2,\"remaining\":0,")
        .endsWith("\"override\":null}");
    assertThat(server.admin("/v1/keys/overrides").body()).isEqualTo("{\"overrides\":[]}");
  }

  @Test
  void override_expires() {
    String override = KEY_A.replace("}}", "},\"rate\":\"1/h\",\"burst\":5,\"for\":\"50ms\"}");
    assertThat(server.admin("/v1/keys/override", override).statusCode()).isEqualTo(200);
    await().until(() -> server.admin("/v1/keys/overrides").body().equals("{\"overrides\":[]}"));
    assertThat(server.admin("/v1/keys/peek", KEY_A).body()).contains("\"limit\":2,");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ",\"rate\":\"fast\"",
        ",\"rate\":\"1/h\",\"burst\":0",
        ",\"rate\":\"1/h\",\"for\":\"0s\"",
        ",\"rate\":\"1/h\",\"for\":\"169h\"",
        ",\"rate\":\"1/h\",\"for\":\"soon\"",
        ",\"rate\":\"1/h\",\"tokens\":1"
      })
  void override_invalid_isRejectedAndChangesNothing(String fields) {
    String override = KEY_A.replace("}}", "}" + fields + "}");
    assertThat(server.admin("/v1/keys/override", override).statusCode()).isEqualTo(400);
    assertThat(server.admin("/v1/keys/overrides").body()).isEqualTo("{\"overrides\":[]}");
  }

  @Test
  void override_tooManyKeys_isRejected() {
    String override = "{\"rule\":\"two\",\"key\":{\"user_id\":\"%d\"},\"rate\":\"1/h\"}";
    for (int i = 0; i < 1_000; i++) {
      assertThat(server.admin("/v1/keys/override", override.formatted(i)).statusCode())
          .isEqualTo(200);
    }
    assertThat(server.admin("/v1/keys/override", override.formatted(7)).statusCode())
        .isEqualTo(200);
    HttpResponse<String> rejected = server.admin("/v1/keys/override", override.formatted(1_000));
    assertThat(rejected.statusCode()).isEqualTo(400);
    assertThat(rejected.body()).contains("at most 1000 keys");
  }

  @Test
  void grant_window_isRejected() {
    String log = "{\"rule\":\"log\",\"key\":{\"header:x-api-key\":\"k\"}";
    assertThat(server.admin("/v1/keys/peek", log + "}").body()).contains("\"remaining\":3,");
    HttpResponse<String> rejected = server.admin("/v1/keys/grant", log + ",\"tokens\":1}");
    assertThat(rejected.statusCode()).isEqualTo(400);
    assertThat(rejected.body()).contains("only token buckets");
  }

  @Test
  void peek_secretKey_isShownAsAHash() {
    assertThat(
            server
                .admin(
                    "/v1/keys/peek", "{\"rule\":\"log\",\"key\":{\"header:x-api-key\":\"sesame\"}}")
                .body())
        .doesNotContain("sesame")
        .contains("header:x-api-key=#");
  }

  @Test
  void peek_unknownRuleOrMissingKey_isRejected() {
    assertThat(server.admin("/v1/keys/peek", "{\"rule\":\"nope\"}").statusCode()).isEqualTo(404);
    assertThat(server.admin("/v1/keys/peek", "{\"rule\":\"off\"}").statusCode()).isEqualTo(404);
    HttpResponse<String> rejected = server.admin("/v1/keys/peek", "{\"rule\":\"two\"}");
    assertThat(rejected.statusCode()).isEqualTo(400);
    assertThat(rejected.body()).contains("user_id");
    assertThat(
            server.admin("/v1/keys/peek", "{\"rule\":\"two\",\"key\":{\"nope:x\":\"1\"}}").body())
        .contains("\"field\":\"key.nope:x\"");
  }

  @Test
  void peek_keyAsText_isTheSameAsAnObject() {
    server.check(A);
    String text = "{\"rule\":\"two\",\"key\":\"user_id=a\"}";
    assertThat(server.admin("/v1/keys/peek", text).body())
        .startsWith(
            "{\"rule\":\"two\",\"key\":\"user_id=a\",\"levels\":[{\"limit\":2,\"remaining\":1");
  }

  @Test
  void peek_wrongForm_isRejectedWithTheReason() {
    assertThat(server.admin("/v1/keys/peek", "{\"rule\":\"two\",\"key\":\"a\"}").body())
        .contains("\"status\":400", "key must have the form name=value&name=value");
    assertThat(server.admin("/v1/keys/peek", "{\"rule\":\"two\",\"key\":{\"user\":\"a\"}}").body())
        .contains("\"status\":400", "limit_keys of rule two, user_id: user");
  }

  @Test
  void keys_mappedName_isRejectedWithTheSources(@TempDir Path other) {
    String policy =
        """
        attributes: {user_id: jwt:sub}
        jwt: caller
        rules:
          - {name: user, limit_keys: ["user_id|ip:address"], rate: 1/h, burst: 2}
        """;
    try (RunningServer mapping = RunningServer.serving(other, policy)) {
      mapping.check("{\"jwt\":{\"sub\":\"zoe\"}}");
      mapping.check("{\"attributes\":{\"user_id\":\"zoe\"},\"cost\":2}");
      String key = "{\"rule\":\"user\",\"key\":{\"%s\":\"zoe\"}}";
      for (String operation : new String[] {"peek", "reset"}) {
        HttpResponse<String> rejected =
            mapping.admin("/v1/keys/" + operation, key.formatted("user_id"));
        assertThat(rejected.statusCode()).isEqualTo(400);
        assertThat(rejected.body()).contains("name the source: jwt:sub, caller:user_id");
      }
      assertThat(mapping.admin("/v1/keys/peek", key.formatted("jwt:sub")).body())
          .contains("\"key\":\"jwt:sub=zoe\"", "\"remaining\":1");
      assertThat(mapping.admin("/v1/keys/peek", key.formatted("caller:user_id")).body())
          .contains("\"key\":\"user_id=zoe\"", "\"remaining\":0");
      String twice = "{\"rule\":\"user\",\"key\":{\"user_id\":\"zoe\",\"caller:user_id\":\"zoe\"}}";
      assertThat(mapping.admin("/v1/keys/peek", twice).statusCode()).isEqualTo(400);
    }
  }

  @Test
  void mode_shadow_deniesNothingUntilItEnds() {
    server.check(A);
    server.check(A);
    assertThat(server.check(A).body()).startsWith("{\"allowed\":false");
    assertThat(server.admin("/v1/mode", "{\"mode\":\"shadow\",\"for\":\"1h\"}").body())
        .startsWith("{\"override\":{\"mode\":\"shadow\",\"until\":\"");
    assertThat(server.check(A).body()).startsWith("{\"allowed\":true");
    assertThat(server.admin("/v1/mode", "{\"mode\":\"policy\"}").body())
        .isEqualTo("{\"override\":null,\"rules\":[]}");
    assertThat(server.check(A).body()).startsWith("{\"allowed\":false");
  }

  @Test
  void mode_withDuration_expires() throws InterruptedException {
    server.check(A);
    server.check(A);
    server.admin("/v1/mode", "{\"mode\":\"shadow\",\"for\":\"50ms\"}");
    await().until(() -> server.check(A).body().startsWith("{\"allowed\":false"));
    assertThat(server.admin("/v1/mode").body()).isEqualTo("{\"override\":null,\"rules\":[]}");
  }

  @Test
  void mode_ofOneRule_overridesOnlyThatRuleUntilItEnds() {
    server.check(A);
    server.check(A);
    assertThat(
            server
                .admin("/v1/mode", "{\"mode\":\"shadow\",\"for\":\"1h\",\"rule\":\"two\"}")
                .body())
        .startsWith(
            "{\"override\":null,\"rules\":[{\"rule\":\"two\",\"mode\":\"shadow\",\"until\":\"");
    assertThat(server.check(A).body()).startsWith("{\"allowed\":true");
    assertThat(server.admin("/v1/explain", A).body()).contains("in shadow mode by override");
    String log = "{\"path\":\"/log\",\"headers\":{\"x-api-key\":\"k\"}}";
    for (int i = 0; i < 3; i++) {
      server.check(log);
    }
    assertThat(server.check(log).body()).startsWith("{\"allowed\":false");
    server.admin("/v1/mode", "{\"mode\":\"enforce\",\"for\":\"1h\"}");
    assertThat(server.check(A).body()).as("of all rules").startsWith("{\"allowed\":false");
    server.admin("/v1/mode", "{\"mode\":\"policy\"}");
    assertThat(server.check(A).body()).as("of the rule").startsWith("{\"allowed\":true");
    assertThat(server.admin("/v1/mode", "{\"mode\":\"policy\",\"rule\":\"two\"}").body())
        .isEqualTo("{\"override\":null,\"rules\":[]}");
    assertThat(server.check(A).body()).startsWith("{\"allowed\":false");
  }

  @Test
  void mode_ofOneRuleWithDuration_expires() {
    server.admin("/v1/mode", "{\"mode\":\"shadow\",\"for\":\"50ms\",\"rule\":\"two\"}");
    await().until(() -> server.admin("/v1/mode").body().contains("\"rules\":[]"));
  }

  @Test
  void mode_ofUnknownOrDisabledRule_isRejected() {
    String shadow = "{\"mode\":\"shadow\",\"rule\":\"%s\"}";
    assertThat(server.admin("/v1/mode", shadow.formatted("nope")).statusCode()).isEqualTo(404);
    assertThat(server.admin("/v1/mode", shadow.formatted("off")).statusCode()).isEqualTo(409);
  }

  @Test
  void mode_invalid_isRejected() {
    for (String bad :
        new String[] {"{}", "{\"mode\":\"off\"}", "{\"mode\":\"shadow\",\"for\":\"25h\"}"}) {
      assertThat(server.admin("/v1/mode", bad).statusCode()).as(bad).isEqualTo(400);
    }
    assertThat(server.admin("/v1/mode").body()).isEqualTo("{\"override\":null,\"rules\":[]}");
  }

  @Test
  void change_fromWebPageWithoutTokens_isRejected() {
    HttpResponse<String> answer =
        RunningServer.send(
            server
                .administration("/v1/mode")
                .header("Origin", "https://elsewhere.example")
                .POST(HttpRequest.BodyPublishers.ofString("{\"mode\":\"shadow\"}")));
    assertThat(answer.statusCode()).isEqualTo(403);
    assertThat(server.admin("/v1/mode").body()).isEqualTo("{\"override\":null,\"rules\":[]}");
  }

  @Test
  void explain_request_returnsWhichRulesApply() {
    assertThat(server.admin("/v1/explain", A).body())
        .contains("\"rule\":\"two\",\"applies\":true")
        .contains("\"rule\":\"log\",\"applies\":false");
    assertThat(server.admin("/v1/explain", "{\"x\":1}").statusCode()).isEqualTo(400);
  }

  @Test
  void policy_changed_isActiveAndKeepsConsumption() throws Exception {
    server.check(A);
    server.check(A);
    Files.writeString(file, POLICY.replace("burst: 2", "burst: 4"));
    await().until(() -> server.admin("/v1/keys/peek", KEY_A).body().contains("\"limit\":4"));
    assertThat(server.admin("/v1/keys/peek", KEY_A).body()).contains("\"remaining\":2");
    assertThat(server.admin("/metrics").body())
        .contains("penstock_policy_reloads_total{outcome=\"accepted\"} 1.0");
  }

  @Test
  void policy_folder_hasTheLocationOfEachRule(@TempDir Path other) throws Exception {
    String rule = "{name: %1$s, limit_keys: [], match: {path: /%1$s}, rate: 1/h}";
    Files.writeString(other.resolve("a.yaml"), rule.formatted("one"));
    Files.writeString(other.resolve("b.yaml"), "rules:\n  - " + rule.formatted("two"));
    try (RunningServer folders = RunningServer.serving(other)) {
      String policy = folders.admin("/v1/policy").body();
      OpenApiDocument.assertMatches("ActivePolicy", policy);
      assertThat(policy)
          .endsWith(
              ",\"locations\":{\"a/one\":\"%1$s/a.yaml:1:1\",\"b/two\":\"%1$s/b.yaml:2:5\"}}"
                  .formatted(other));
    }
  }

  @Test
  void policy_invalid_oldOneStaysActiveAndErrorIsReported() throws Exception {
    Files.writeString(file, POLICY + "  - nonsense: 1\n");
    await().until(() -> server.admin("/readyz").body().contains("nonsense"));
    assertThat(server.admin("/readyz").statusCode()).isEqualTo(200);
    assertThat(server.check(A).body()).contains("\"rule\":\"two\"");
    assertThat(server.admin("/v1/policy").body()).contains("policy.yaml:17:");
    Files.writeString(file, POLICY);
    await().until(() -> server.admin("/readyz").body().contains("\"rejected\":[]"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"policy.json", "policy.yml"})
  void policy_numberOfTooManyDigits_isReported(String name, @TempDir Path other) throws Exception {
    String good = "{\"rules\": [{\"name\": \"a\", \"limit_keys\": [], \"rate\": \"1/s\"}]}";
    Path policy = Files.writeString(other.resolve(name), good);
    try (RunningServer changing = RunningServer.serving(policy)) {
      String burst = "\"burst\": " + "1".repeat(1_001) + ", ";
      Files.writeString(policy, good.replace("\"rate\"", burst + "\"rate\""));
      await().until(() -> changing.admin("/readyz").body().contains(name + ":1:"));
      assertThat(changing.admin("/readyz").body()).doesNotContain("internal error");
      assertThat(changing.admin("/metrics").body()).contains("penstock_policy_rejected 1.0");

      Files.writeString(policy, good);
      await().until(() -> changing.admin("/readyz").body().contains("\"rejected\":[]"));
    }
  }

  @Test
  void metrics_afterDecisions_countThemByRule() {
    for (int i = 0; i < 3; i++) {
      server.check(A);
    }
    assertThat(server.admin("/metrics").body())
        .contains("penstock_decisions_total{mode=\"enforce\",outcome=\"allowed\",rule=\"two\"} 2.0")
        .contains("penstock_decisions_total{mode=\"enforce\",outcome=\"denied\",rule=\"two\"} 1.0")
        .contains("penstock_used_ratio{rule=\"two\"} 1.0")
        .contains("penstock_decision_seconds_count 3")
        .contains("penstock_policy_rules 3.0")
        .contains("penstock_connections{listener=\"decision\"} ")
        .contains("jvm_memory_used_bytes")
        .doesNotContain("user_id");
  }
}
