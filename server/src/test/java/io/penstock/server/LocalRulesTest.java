package io.penstock.server;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.policy.load.PolicyException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rules of a file with {@code on_store_failure: local} while the setting nodes is missing. */
final class LocalRulesTest {
  private static final String CLOSED =
      """
      rules:
        - {name: search, limit_keys: [user_id], rate: 1/h, burst: 1, on_store_failure: closed}
      """;
  private static final String LOCAL = CLOSED.replace("closed", "local");
  private static final String WRONG =
      "policy.yaml: rule search: on_store_failure: local needs the setting nodes: search";

  @TempDir private Path folder;

  @Test
  void start_withRedisWithoutNodes_isAPolicyError() {
    Map<Setting, String> settings = settings(LOCAL);
    assertThatThrownBy(() -> RunningServer.with(settings))
        .isInstanceOf(PolicyException.class)
        .hasMessageEndingWith(WRONG);
  }

  @Test
  void reload_withRedisWithoutNodes_keepsTheOldPolicy() throws InterruptedException {
    try (RunningServer server = RunningServer.with(settings(CLOSED))) {
      RunningServer.write(folder, LOCAL);
      server.server().reload();
      await().until(() -> server.admin("/readyz").body().contains(WRONG));
      assertThat(server.check("{\"attributes\":{\"user_id\":\"a\"}}").body())
          .contains("\"allowed\":false");
    }
  }

  @Test
  void start_withoutRedis_needsNoNodes() {
    Path policy = RunningServer.write(folder, LOCAL);
    try (RunningServer server = RunningServer.serving(policy)) {
      assertThat(server.admin("/readyz").statusCode()).isEqualTo(200);
    }
  }

  private Map<Setting, String> settings(String policy) {
    return Map.of(
        Setting.POLICY,
        RunningServer.write(folder, policy).toString(),
        Setting.REDIS,
        "redis://127.0.0.1:1");
  }
}
