package io.penstock.server.database;

import static io.penstock.server.database.DatabaseServer.user;
import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.RunningServer;
import io.penstock.server.Setting;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The database crashes, restarts and hangs; decisions continue, and every denial is accounted for.
 */
class DatabaseFaultsIT {
  private static final String RULE =
      "INSERT INTO rate_limit_rule (name, key_pattern, scope, rate, burst_capacity)"
          + " VALUES ('one', 'user:{user_id}', 'user', '1/h', 1)";

  @TempDir private Path folder;

  /** A client that keeps sending requests. */
  private static final class LoadGenerator implements AutoCloseable {
    private final AtomicBoolean done = new AtomicBoolean();
    final AtomicLong denied = new AtomicLong();
    final AtomicLong failed = new AtomicLong();
    private final Thread thread;

    LoadGenerator(RunningServer server) {
      thread =
          new Thread(
              () -> {
                for (int i = 0; !done.get(); i++) {
                  var answer = server.check(user("user" + i % 40, "free"));
                  if (answer.statusCode() != 200) {
                    failed.incrementAndGet();
                  } else if (answer.body().startsWith("{\"allowed\":false")) {
                    denied.incrementAndGet();
                  }
                }
              });
      thread.start();
    }

    void some() throws InterruptedException {
      long enough = denied.get() + 500;
      await().until(() -> denied.get() >= enough);
    }

    @Override
    public void close() {
      done.set(true);
      try {
        thread.join();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @Test
  @Tag("full")
  void database_killedAndStartedAgain_losesNoDenialSilently() throws Exception {
    try (PostgresProcess postgres = new PostgresProcess(folder);
        RunningServer server =
            DatabaseServer.start(postgres.url(), folder, Map.of(Setting.VIOLATIONS_QUEUE, "60"))) {
      // Make the rule durable before the server is killed.
      TestPostgres.execute(postgres.url(), "SET synchronous_commit TO on", RULE);
      await().until(() -> server.check(user("x", "free")).body().contains("\"rule\":\"one\""));
      LoadGenerator asking = new LoadGenerator(server);
      try (asking) {
        asking.some();
        postgres.kill();
        await().until(() -> server.admin("/readyz").body().contains("\"available\":false"));
        asking.some();
        assertThat(server.admin("/v1/rules").statusCode()).isEqualTo(503);
        assertThat(server.admin("/v1/violations").statusCode()).isEqualTo(503);
        assertThat(server.admin("/readyz").statusCode()).isEqualTo(200);
        await().until(() -> DatabaseMetrics.of(server).violations("dropped") > 0);
        postgres.start();
        await().until(() -> server.admin("/v1/rules").statusCode() == 200);
        asking.some();
      }
      assertThat(asking.failed.get()).isZero();
      assertAccounted(server, postgres.url(), asking.denied.get());
      TestPostgres.execute(postgres.url(), "UPDATE rate_limit_rule SET burst_capacity = 3");
      await().until(() -> server.check(user("y", "free")).body().contains("\"limit\":3,"));
    }
  }

  @Test
  @Tag("full")
  void database_stopped_isReportedAndReconnected() throws Exception {
    try (PostgresProcess postgres = new PostgresProcess(folder);
        RunningServer server = DatabaseServer.start(postgres.url(), folder)) {
      assertThat(server.admin("/readyz").body()).contains("\"degraded\":false");
      postgres.signal("STOP");
      try {
        // Well before the next periodic check of the rules.
        await().until(() -> server.admin("/readyz").body().contains("\"degraded\":true"));
        assertThat(server.admin("/readyz").body())
            .contains("\"available\":false", "\"problem\":\"");
        assertThat(server.admin("/readyz").statusCode()).isEqualTo(200);
        assertThat(server.admin("/metrics").body()).contains("penstock_database_available 0.0");
      } finally {
        postgres.signal("CONT");
      }
      await().until(() -> server.admin("/readyz").body().contains("\"degraded\":false"));
    }
  }

  @Test
  @Tag("full")
  void database_lockedForSeconds_delaysNoRequest() throws Exception {
    String url = TestPostgres.migrated();
    TestPostgres.execute(url, RULE);
    try (RunningServer server = DatabaseServer.start(url, folder);
        Connection other = TestPostgres.connect(url);
        Statement lock = other.createStatement()) {
      other.setAutoCommit(false);
      lock.execute("LOCK TABLE rate_limit_rule, rate_limit_violation IN ACCESS EXCLUSIVE MODE");
      LoadGenerator asking = new LoadGenerator(server);
      try (asking) {
        asking.some();
        assertThat(server.admin("/v1/violations").statusCode()).isEqualTo(503);
        asking.some();
        other.rollback();
        await().until(() -> server.admin("/v1/rules").statusCode() == 200);
      }
      assertThat(asking.failed.get()).isZero();
      assertAccounted(server, url, asking.denied.get());
    }
  }

  private static void assertAccounted(RunningServer server, String url, long denied)
      throws InterruptedException {
    await()
        .until(
            () -> {
              DatabaseMetrics figures = DatabaseMetrics.of(server);
              return figures.violations("written") + figures.violations("dropped")
                  == figures.violations("seen");
            });
    DatabaseMetrics figures = DatabaseMetrics.of(server);
    assertThat(figures.violations("seen")).isEqualTo(denied);
    assertThat(TestPostgres.value(url, "SELECT sum(denied) FROM rate_limit_violation"))
        .isEqualTo(Long.toString(figures.violations("written")));
  }
}
