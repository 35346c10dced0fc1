package io.penstock.server.database;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.RunningServer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rates are changed with SQL while 32 clients send requests. */
@Tag("full")
class ChangeUnderLoadIT {
  private static final int CALLERS = 32;
  private static final int CHANGES = 10;

  @TempDir private Path folder;

  @Test
  void update_underLoad_failsNoRequestAndKeepsConsumption() throws Exception {
    String url = TestPostgres.migrated();
    TestPostgres.execute(
        url,
        "INSERT INTO rate_limit_rule (name, key_pattern, scope, rate, burst_capacity)"
            + " VALUES ('all', 'user:{user_id}', 'user', '1/h', 1000)");
    try (RunningServer server = DatabaseServer.start(url, folder)) {
      AtomicBoolean done = new AtomicBoolean();
      AtomicLong allowed = new AtomicLong();
      AtomicLong requests = new AtomicLong();
      AtomicLong failed = new AtomicLong();
      List<Thread> callers = new ArrayList<>();
      for (int i = 0; i < CALLERS; i++) {
        callers.add(
            new Thread(
                () -> {
                  while (!done.get()) {
                    ask(server, allowed, requests, failed);
                  }
                }));
      }
      callers.forEach(Thread::start);
      for (int change = 1; change <= CHANGES; change++) {
        int burst = 1_000 + change;
        TestPostgres.execute(url, "UPDATE rate_limit_rule SET burst_capacity = " + burst);
        await().until(() -> peek(server).contains("\"limit\":" + burst + ","));
        long enough = requests.get() + 200;
        await().until(() -> requests.get() >= enough);
      }
      done.set(true);
      for (Thread caller : callers) {
        caller.join();
      }

      assertThat(failed.get()).isZero();
      assertThat(allowed.get()).isBetween(1_000L, 1_001L + CHANGES);
      assertThat(peek(server)).contains("\"remaining\":0");
    }
  }

  private static void ask(
      RunningServer server, AtomicLong allowed, AtomicLong requests, AtomicLong failed) {
    var answer = server.check("{\"attributes\":{\"user_id\":\"1\"}}");
    requests.incrementAndGet();
    if (answer.statusCode() != 200) {
      failed.incrementAndGet();
    } else if (answer.body().startsWith("{\"allowed\":true")) {
      allowed.incrementAndGet();
    }
  }

  private static String peek(RunningServer server) {
    return server.check("{\"cost\":0,\"attributes\":{\"user_id\":\"1\"}}").body();
  }
}
