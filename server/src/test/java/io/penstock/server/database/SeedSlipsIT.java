package io.penstock.server.database;

import static io.penstock.server.database.DatabaseServer.user;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.RunningServer;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Mistakes that are easily made with such a table, and that Penstock avoids. */
@Tag("full")
class SeedSlipsIT {
  @TempDir private Path folder;
  private String url;

  @BeforeEach
  void migrate() {
    url = TestPostgres.migrated();
  }

  private void insert(String values) {
    TestPostgres.execute(
        url,
        "INSERT INTO rate_limit_rule (name, key_pattern, scope, rate, burst_capacity, plan,"
            + " is_active) VALUES "
            + values);
  }

  /** {@code plan = ? OR plan IS NULL AND is_active} lets inactive rows of a plan through. */
  @Test
  void inactiveRow_ofAPlan_doesNotApply() {
    insert(
        "('off', 'user:{user_id}', 'user', '1/h', 1, 'free', false),"
            + " ('on', 'user:{user_id}', 'user', '1/h', 9, NULL, true),"
            + " ('off for all', 'ip:{ip}', 'ip', '1/h', 1, NULL, false)");
    try (RunningServer server = DatabaseServer.start(url, folder)) {
      String answer =
          server
              .check("{\"ip\":\"::1\",\"attributes\":{\"user_id\":\"1\",\"plan\":\"free\"}}")
              .body();
      assertThat(answer).contains("\"rule\":\"on\"").doesNotContain("\"off");
    }
  }

  /** A key with the path of the request would apply the rule of one endpoint to all endpoints. */
  @Test
  void endpointRow_otherPath_doesNotApply() {
    insert("('search', 'endpoint:/api/search', 'endpoint', '1/h', 1, NULL, true)");
    try (RunningServer server = DatabaseServer.start(url, folder)) {
      for (int i = 0; i < 3; i++) {
        assertThat(server.check("{\"path\":\"/api/other\"}").body())
            .contains("\"allowed\":true,\"rule\":null");
      }
      assertThat(server.check("{\"path\":\"/api/search\"}").body())
          .contains("\"allowed\":true,\"rule\":\"search\",\"scope\":\"endpoint\"");
      assertThat(server.check("{\"path\":\"/api/search\"}").body()).contains("\"allowed\":false");
    }
  }

  /**
   * If tiers were charged one by one, a denial by a later one would still charge the earlier ones.
   */
  @Test
  void deniedByOneTier_takesNothingFromTheOthers() {
    insert(
        "('user', 'user:{user_id}', 'user', '1/h', 5, NULL, true),"
            + " ('search', 'endpoint:/api/search', 'endpoint', '1/h', 1, NULL, true),"
            + " ('global', 'global', 'global', '1/h', 100, NULL, true)");
    try (RunningServer server = DatabaseServer.start(url, folder)) {
      String search = "{\"path\":\"/api/search\",\"attributes\":{\"user_id\":\"1\"}}";
      assertThat(server.check(search).body()).startsWith("{\"allowed\":true");
      for (int i = 0; i < 20; i++) {
        assertThat(server.check(search).body())
            .startsWith("{\"allowed\":false,\"rule\":\"search\",\"scope\":\"endpoint\"");
      }
      assertThat(server.check("{\"cost\":0,\"attributes\":{\"user_id\":\"1\"}}").body())
          .contains("\"rule\":\"user\",\"scope\":\"user\"")
          .contains("\"remaining\":4")
          .contains("\"remaining\":99");
    }
  }

  /**
   * Only the first matching row counts, and rows for a plan precede the row for all, in any
   * insertion order.
   */
  @Test
  void rowForAPlan_comesBeforeTheRowForAll() {
    insert(
        "('all', 'user:{user_id}', 'user', '1/h', 1, NULL, true),"
            + " ('pro', 'user:{user_id}', 'user', '1/h', 3, 'pro', true)");
    try (RunningServer server = DatabaseServer.start(url, folder)) {
      assertThat(server.check(user("1", "pro")).body())
          .contains("\"rule\":\"pro\"")
          .doesNotContain("\"rule\":\"all\"");
      assertThat(server.check(user("2", "free")).body()).contains("\"rule\":\"all\"");
    }
  }
}
