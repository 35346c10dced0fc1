package io.penstock.server.database;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.RunningServer;
import io.penstock.server.Setting;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

@Tag("full")
class ManyRulesIT {
  @TempDir private Path folder;

  @Test
  void start_hundredThousandRules_areAllActiveAndChangeOneByOne() throws Exception {
    String url = TestPostgres.migrated();
    TestPostgres.execute(
        url,
        "INSERT INTO rate_limit_rule (name, key_pattern, scope, rate_per_second, burst_capacity,"
            + " match) SELECT 'tenant ' || i, 'user:{user_id}', 'user', 10, 50,"
            + " jsonb_build_object('tenant', 't' || i) FROM generate_series(1, 100000) i");
    long begin = System.nanoTime();
    try (RunningServer server =
        DatabaseServer.start(url, folder, Map.of(Setting.VIOLATIONS, "false"))) {
      LoggerFactory.getLogger(ManyRulesIT.class)
          .info("started after {}", Duration.ofNanos(System.nanoTime() - begin));
      await().until(() -> server.admin("/readyz").body().contains("\"rules\":100000"));
      assertThat(question(server)).contains("\"rule\":\"tenant 77777\"");
      TestPostgres.execute(
          url, "UPDATE rate_limit_rule SET burst_capacity = 60 WHERE name = 'tenant 77777'");
      await().until(() -> question(server).contains("\"limit\":60,"));
    }
  }

  private static String question(RunningServer server) {
    return server.check("{\"attributes\":{\"user_id\":\"1\",\"tenant\":\"t77777\"}}").body();
  }
}
