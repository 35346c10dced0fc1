package io.penstock.server.database;

import static io.penstock.server.database.DatabaseServer.user;
import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.RunningServer;
import io.penstock.server.Setting;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("full")
class DatabaseRulesIT {
  private static final String NOWHERE = "postgres://postgres@127.0.0.1:1/none";

  @TempDir private Path folder;
  private String url;

  @BeforeEach
  void migrate() {
    url = TestPostgres.migrated();
  }

  private void rule(String name, String values) {
    TestPostgres.execute(
        url,
        "INSERT INTO rate_limit_rule (name, key_pattern, scope, rate, burst_capacity, plan,"
            + " is_active) VALUES ('"
            + name
            + "', "
            + values
            + ")");
  }

  @Test
  void start_rowsOfTheSeed_applyWithTheirScope() {
    rule("free", "'user:{user_id}', 'user', '1/h', 1, 'free', true");
    rule("pro", "'user:{user_id}', 'user', '1/h', 3, 'pro', true");
    try (RunningServer server = DatabaseServer.start(url, folder)) {
      assertThat(server.check(user("1", "free")).body())
          .contains("\"rule\":\"free\",\"scope\":\"user\"")
          .contains("\"limit\":1,");
      assertThat(server.check(user("2", "pro")).body())
          .contains("\"rule\":\"pro\",\"scope\":\"user\"")
          .contains("\"limit\":3,");
      assertThat(server.check(user("3", "other")).body()).contains("\"rule\":null");
      assertThat(server.admin("/readyz").body())
          .contains("\"database\":{\"available\":true,\"source\":\"database\",\"rules\":2,");
    }
  }

  @Test
  void update_withSql_isActiveAndKeepsConsumption() throws Exception {
    rule("all", "'user:{user_id}', 'user', '1/h', 10, NULL, true");
    try (RunningServer server = DatabaseServer.start(url, folder)) {
      for (int i = 0; i < 4; i++) {
        server.check(user("1", "free"));
      }
      TestPostgres.execute(url, "UPDATE rate_limit_rule SET burst_capacity = 5");
      await().until(() -> server.check(peek()).body().contains("\"limit\":5,"));
      assertThat(server.check(peek()).body()).contains("\"remaining\":1");
      TestPostgres.execute(url, "DELETE FROM rate_limit_rule");
      await().until(() -> server.check(peek()).body().contains("\"rule\":null"));
    }
  }

  private static String peek() {
    return "{\"cost\":0,\"attributes\":{\"user_id\":\"1\"}}";
  }

  @Test
  void update_toInvalidRow_keepsTheLastValidVersionAndReportsIt() throws Exception {
    rule("all", "'user:{user_id}', 'user', '1/h', 10, NULL, true");
    try (RunningServer server = DatabaseServer.start(url, folder)) {
      TestPostgres.execute(
          url, "UPDATE rate_limit_rule SET rate = '1/fortnight', burst_capacity = 7");
      rule("other", "'ip:{ip}', 'ip', '1/h', 2, NULL, true");
      await()
          .until(() -> server.check("{\"ip\":\"::1\",\"cost\":0}").body().contains("\"limit\":2,"));
      assertThat(server.check(peek()).body()).contains("\"limit\":10,");
      assertThat(server.admin("/readyz").body())
          .contains("rate_limit_rule 1: rate: must have a unit of time")
          .startsWith("{\"ready\":true");
      await().until(() -> server.admin("/metrics").body().contains("penstock_database_rules 2.0"));
      assertThat(server.admin("/metrics").body()).contains("penstock_policy_rejected 1.0");
    }
    try (RunningServer server = DatabaseServer.start(url, folder)) {
      assertThat(server.check(peek()).body()).as("from the snapshot").contains("\"limit\":10,");
      TestPostgres.execute(url, "UPDATE rate_limit_rule SET rate = '1/d' WHERE name = 'all'");
      await().until(() -> server.check(peek()).body().contains("\"limit\":7,"));
      assertThat(server.admin("/readyz").body()).contains("\"rejected\":[]");
    }
  }

  @Test
  void start_withAFile_mergesRulesAndRejectsDuplicateNames() {
    Path file =
        RunningServer.write(
            folder, "rules: [{name: login, limit_keys: ['ip:address'], rate: 1/h, burst: 4}]");
    rule("login", "'user:{user_id}', 'user', '1/h', 10, NULL, true");
    rule("more", "'user:{user_id}:{tenant}', 'user', '1/h', 10, NULL, true");
    try (RunningServer server =
        DatabaseServer.start(url, folder, Map.of(Setting.POLICY, file.toString()))) {
      assertThat(server.check("{\"ip\":\"::1\"}").body()).contains("\"rule\":\"login\"");
      assertThat(server.check("{\"attributes\":{\"user_id\":\"1\",\"tenant\":\"t\"}}").body())
          .contains("\"rule\":\"more\"")
          .doesNotContain("\"rule\":\"login\"");
      assertThat(server.admin("/readyz").body())
          .contains("must have a unique name: login is also at " + file);
    }
  }

  @Test
  void start_databaseUnavailable_usesTheSnapshotAndReconnects() throws Exception {
    rule("all", "'user:{user_id}', 'user', '1/h', 10, NULL, true");
    DatabaseServer.start(url, folder).close();
    try (RunningServer server = DatabaseServer.start(NOWHERE, folder)) {
      assertThat(server.check(peek()).body()).contains("\"limit\":10,");
      assertThat(server.admin("/readyz").statusCode()).isEqualTo(200);
      assertThat(server.admin("/readyz").body())
          .contains("\"degraded\":true")
          .contains("\"database\":{\"available\":false,\"source\":\"snapshot\",\"rules\":1,");
      assertThat(server.admin("/v1/rules").statusCode()).isEqualTo(503);
    }
  }

  @Test
  void start_withNeitherDatabaseNorSnapshot_isReadyOnlyWithAFile() throws Exception {
    try (RunningServer server = DatabaseServer.start(NOWHERE, folder)) {
      assertThat(server.admin("/readyz").statusCode()).isEqualTo(503);
      assertThat(server.admin("/livez").statusCode()).isEqualTo(200);
    }
    Path file = RunningServer.write(folder, "{name: a, limit_keys: [user_id], rate: 1/h}");
    Files.writeString(folder.resolve("rules.json"), "half a snap");
    try (RunningServer server =
        DatabaseServer.start(NOWHERE, folder, Map.of(Setting.POLICY, file.toString()))) {
      assertThat(server.admin("/readyz").statusCode()).isEqualTo(200);
      assertThat(server.check(peek()).body()).contains("\"rule\":\"a\"");
    }
  }

  @Test
  void start_emptyDatabase_createsTheTablesAndIsReady() throws Exception {
    url = TestPostgres.fresh();
    try (RunningServer server = DatabaseServer.start(url, folder)) {
      assertThat(server.admin("/readyz").statusCode()).isEqualTo(200);
      rule("all", "'user:{user_id}', 'user', '1/h', 10, NULL, true");
      await().until(() -> server.check(peek()).body().contains("\"limit\":10,"));
    }
  }
}
