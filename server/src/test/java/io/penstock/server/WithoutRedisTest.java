package io.penstock.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server starts although Redis is unavailable. */
final class WithoutRedisTest {
  private static final String POLICY =
      """
      rules:
        - name: open
          limit_keys: [user_id]
          match: {path: /}
          rate: 1/h
          burst: 1
          on_store_failure: open
        - name: closed
          limit_keys: [user_id]
          match: {path: /login}
          rate: 1/h
          burst: 1
          on_store_failure: closed
        - name: local
          limit_keys: [user_id]
          match: {path: /local}
          rate: 1/h
          burst: 2
        - name: share
          limit_keys: [user_id]
          match: {path: /share}
          rate: 1/h
          burst: 4
          share: true
        - name: wide
          limit_keys: [user_id]
          match: {path: /wide}
          rate: 16.6667/s
          burst: 5000000
      """;

  @TempDir private static Path folder;
  private static RunningServer server;

  @BeforeAll
  static void start() {
    server =
        RunningServer.with(
            Map.of(
                Setting.POLICY,
                RunningServer.write(folder, POLICY).toString(),
                Setting.REDIS,
                "redis://127.0.0.1:1",
                Setting.NODES,
                "2",
                Setting.UPSTREAM,
                "http://127.0.0.1:1",
                Setting.PROXY_PORT,
                "0",
                Setting.ACCESS_LOG,
                "json",
                Setting.ACCESS_LOG_FILE,
                folder.resolve("access.log").toString()));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void check_limitThatNeedsFineUnits_isDecided() {
    assertThat(ask("/wide")).startsWith("{\"allowed\":true,\"rule\":\"wide\"");
  }

  @Test
  void start_withALimitWhoseShareIsUnsupported_isRejected(@TempDir Path own) {
    String policy =
        """
        rules:
          - {name: slow, limit_keys: [user_id], rate: 0.0000001/s, burst: 1, share: true}
        """;
    Map<Setting, String> settings =
        Map.of(
            Setting.POLICY,
            RunningServer.write(own, policy).toString(),
            Setting.REDIS,
            "redis://127.0.0.1:1",
            Setting.NODES,
            "64");
    assertThatThrownBy(() -> RunningServer.with(settings))
        .hasMessageContaining("rule slow: burst / rate must be at most 10 years");
  }

  @Test
  void start_failFast_failsWithTheReason(@TempDir Path own) {
    Map<Setting, String> settings =
        Map.of(
            Setting.POLICY,
            RunningServer.write(own, POLICY).toString(),
            Setting.NODES,
            "2",
            Setting.REDIS,
            "redis://127.0.0.1:1",
            Setting.REDIS_FAIL_FAST,
            "true");
    assertThatThrownBy(() -> RunningServer.with(settings))
        .isInstanceOf(StartException.class)
        .hasMessageStartingWith(
            "--redis: Cannot connect to Redis at 127.0.0.1:1 (CONNECTION_REFUSED: ");
  }

  @Test
  void check_openRule_allowsAndReportsDegraded() {
    for (int i = 0; i < 3; i++) {
      assertThat(ask("/"))
          .startsWith("{\"allowed\":true,\"rule\":\"open\"")
          .contains("\"degraded\":true");
    }
  }

  @Test
  void check_closedRule_deniesAndReportsDegraded() {
    assertThat(ask("/login"))
        .startsWith("{\"allowed\":false,\"rule\":\"closed\",\"reason\":\"store_unavailable\"");
  }

  @Test
  void check_ruleByDefault_enforcesItsLimitOnThisNode() {
    assertTwoAreAllowed("/local");
  }

  @Test
  void check_shareRule_enforcesTheShareOfThisNode() {
    assertTwoAreAllowed("/share");
  }

  private static void assertTwoAreAllowed(String path) {
    assertThat(ask(path)).startsWith("{\"allowed\":true");
    assertThat(ask(path)).startsWith("{\"allowed\":true");
    assertThat(ask(path))
        .startsWith("{\"allowed\":false")
        .contains("\"reason\":\"token_bucket_exceeded\"")
        .contains("\"degraded\":true");
  }

  @Test
  void check_degraded_hasTheReasonInAHeader() {
    assertThat(
            server
                .check("{\"path\":\"/\",\"attributes\":{\"user_id\":\"h\"}}")
                .headers()
                .allValues("Penstock-Degraded"))
        .containsExactly("store_unavailable");
  }

  @Test
  void checkBatch_withADegradedDecision_hasTheReasonInAHeader() {
    assertThat(
            server
                .post(
                    "/v1/check/batch",
                    "{\"checks\":[{\"path\":\"/\",\"attributes\":{\"user_id\":\"h\"}},"
                        + "{\"path\":\"/\",\"attributes\":{\"user_id\":\"i\"}}]}")
                .headers()
                .allValues("Penstock-Degraded"))
        .containsExactly("store_unavailable");
  }

  @Test
  void forwardAuth_closedRule_is503(@TempDir Path own) {
    String policy = POLICY.replace("[user_id]", "[\"ip:address\"]");
    Map<Setting, String> flags =
        Map.of(
            Setting.POLICY,
            RunningServer.write(own, policy).toString(),
            Setting.REDIS,
            "redis://127.0.0.1:1",
            Setting.NODES,
            "2");
    try (RunningServer other = RunningServer.with(flags)) {
      assertThat(other.forwardAuth("X-Original-URI", "/login").statusCode()).isEqualTo(503);
      assertThat(other.forwardAuth("X-Original-URI", "/").statusCode()).isEqualTo(200);
      for (String path : List.of("/", "/login", "/local")) {
        assertThat(
                other.forwardAuth("X-Original-URI", path).headers().allValues("Penstock-Degraded"))
            .as(path)
            .containsExactly("store_unavailable");
      }
    }
  }

  @Test
  void health_isLiveReadyAndDegraded() {
    assertThat(server.admin("/livez").statusCode()).isEqualTo(200);
    assertThat(server.admin("/readyz").statusCode()).isEqualTo(200);
    assertThat(server.admin("/readyz").body())
        .contains(
            "\"degraded\":true,\"store\":{\"kind\":\"redis\",\"available\":false,"
                + "\"reason\":\"connection_refused\",\"address\":\"127.0.0.1:1\","
                + "\"problem\":\"Cannot connect to Redis at 127.0.0.1:1 (CONNECTION_REFUSED: ");
  }

  @Test
  void peek_key_isUnavailable() {
    assertThat(
            server
                .admin("/v1/keys/reset", "{\"rule\":\"open\",\"key\":{\"user_id\":\"a\"}}")
                .statusCode())
        .isEqualTo(503);
  }

  @Test
  void metrics_storeUnavailable_countDegradedDecisions() {
    ask("/");
    assertThat(server.admin("/metrics").body())
        .contains("penstock_store_available 0.0")
        .contains("penstock_store_unavailable{reason=\"connection_refused\"} 1")
        .contains("penstock_store_unavailable{reason=\"noauth\"} 0")
        .contains("penstock_degraded_total{reason=\"store_unavailable\",rule=\"open\"}");
  }

  private static String ask(String path) {
    return server.check("{\"path\":\"" + path + "\",\"attributes\":{\"user_id\":\"a\"}}").body();
  }
}
