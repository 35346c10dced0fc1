package io.penstock.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.proxy.LoggedWarnings;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Callers of {@code /v1/check} that don't supply the key of a rule. */
final class CheckSkippedTest {
  private static final String LOGIN =
      "rules: [{name: login, limit_keys: ['ip:address'], rate: 1/h, burst: 1%s}]";

  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"{\"path\":\"/\"}", "{\"path\":\"/\",\"ip\":null}"})
  void check_withoutTheAddress_isReported(String request) {
    try (LoggedWarnings warnings = new LoggedWarnings();
        RunningServer server = RunningServer.serving(folder, LOGIN.formatted(""))) {
      for (int i = 0; i < 2; i++) {
        assertThat(server.check(request).body())
            .startsWith("{\"allowed\":true,\"rule\":null")
            .contains("\"skipped\":[\"login\"]");
      }
      assertThat(server.admin("/metrics").body())
          .contains("penstock_skipped_total{rule=\"login\"} 2");
      assertThat(warnings.messages())
          .filteredOn(message -> message.contains("Rule login skips requests without ip:address"))
          .hasSize(1);
    }
  }

  @Test
  void check_anotherRuleApplies_isNotCounted() {
    String both =
        "rules: [{name: login, limit_keys: ['ip:address'], rate: 1/h},"
            + " {name: all, limit_keys: [], rate: 1/s}]";
    try (RunningServer server = RunningServer.serving(folder, both)) {
      assertThat(server.check("{\"path\":\"/\"}").body())
          .startsWith("{\"allowed\":true,\"rule\":\"all\"")
          .contains("\"skipped\":[\"login\"]");
      assertThat(server.admin("/metrics").body()).doesNotContain("penstock_skipped_total{");
    }
  }

  @Test
  void check_withTheKeyOrAnExplicitSkip_isNotReported() {
    try (RunningServer server =
        RunningServer.serving(folder, LOGIN.formatted(", on_missing_key: skip"))) {
      assertThat(server.check("{\"path\":\"/\"}").body()).doesNotContain("skipped");
      assertThat(server.check("{\"path\":\"/\",\"ip\":\"192.0.2.1\"}").body())
          .startsWith("{\"allowed\":true,\"rule\":\"login\"")
          .doesNotContain("skipped");
    }
  }
}
