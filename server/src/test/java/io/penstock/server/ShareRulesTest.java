package io.penstock.server;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.policy.load.PolicyException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rules of a file whose limit can't be divided by the number of nodes. */
final class ShareRulesTest {
  private static final String FULL =
      """
      rules:
        - {name: search, limit_keys: [user_id], rate: 0.0000001/s, burst: 1, share: false}
      """;
  private static final String SHARE = FULL.replace("false", "true");
  private static final String WRONG =
      "policy.yaml: rule search: burst / rate must be at most 10 years";

  @TempDir private Path folder;

  @Test
  void start_withRedis_isAPolicyError() {
    Map<Setting, String> settings = settings(SHARE);
    assertThatThrownBy(() -> RunningServer.with(settings))
        .isInstanceOf(PolicyException.class)
        .hasMessageContaining(WRONG);
  }

  @Test
  void reload_withRedis_keepsTheOldPolicy() throws InterruptedException {
    try (RunningServer server = RunningServer.with(settings(FULL))) {
      RunningServer.write(folder, SHARE);
      server.server().reload();
      await().until(() -> server.admin("/readyz").body().contains(WRONG));
      assertThat(server.check("{\"attributes\":{\"user_id\":\"a\"}}").body())
          .contains("\"allowed\":true");
    }
  }

  @Test
  void start_withoutRedis_isAccepted() {
    Path policy = RunningServer.write(folder, SHARE);
    try (RunningServer server = RunningServer.serving(policy)) {
      assertThat(server.admin("/readyz").statusCode()).isEqualTo(200);
    }
  }

  private Map<Setting, String> settings(String policy) {
    return Map.of(
        Setting.POLICY,
        RunningServer.write(folder, policy).toString(),
        Setting.REDIS,
        "redis://127.0.0.1:1",
        Setting.NODES,
        "64");
  }
}
