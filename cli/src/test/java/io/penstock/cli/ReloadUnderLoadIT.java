package io.penstock.cli;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("full")
class ReloadUnderLoadIT {
  private static final int CONNECTIONS = 32;
  private static final String PEEK = "{\"attributes\":{\"user_id\":\"u\"},\"cost\":0}";
  private static final String SPEND = "{\"attributes\":{\"user_id\":\"u\"},\"cost\":60}";
  private static final String OTHER = "{\"path\":\"/\"}";

  @TempDir Path folder;

  private Path writePolicy(int burst) throws IOException {
    return Files.writeString(
        folder.resolve("policy.yaml"),
        """
        rules:
          - {name: user, limit_keys: [user_id], rate: 1/h, burst: %d}
          - {name: all, limit_keys: [], rate: 1000000/s, burst: 1000000}
        """
            .formatted(burst));
  }

  @Test
  void edit_underLoad_failsNoRequestAndKeepsConsumption() throws Exception {
    String policy = writePolicy(100).toString();
    ExecutorService callers = Executors.newFixedThreadPool(CONNECTIONS);
    AtomicBoolean done = new AtomicBoolean();
    try (Service service = Service.start(folder, "--policy", policy)) {
      assertThat(service.check(SPEND)).contains("\"allowed\":true");
      List<Future<Integer>> loads = new ArrayList<>();
      for (int i = 0; i < CONNECTIONS; i++) {
        loads.add(callers.submit(() -> load(service, done)));
      }

      for (int burst : List.of(80, 90, 70)) {
        writePolicy(burst);
        long start = System.nanoTime();
        await("new limit").until(() -> service.check(PEEK).contains("\"limit\":" + burst));
        long millis = (System.nanoTime() - start) / 1_000_000;
        System.out.println("burst " + burst + " active after " + millis + " ms");
        assertThat(service.check(PEEK)).contains("\"remaining\":" + (burst - 60));
      }

      done.set(true);
      int answered = 0;
      for (Future<Integer> load : loads) {
        answered += load.get(60, TimeUnit.SECONDS);
      }
      System.out.println(answered + " requests answered meanwhile");
      assertThat(answered).isGreaterThan(CONNECTIONS);
    } finally {
      done.set(true);
      callers.shutdownNow();
    }
  }

  /** Sends requests until done and returns their number. Every request must be answered. */
  private static int load(Service service, AtomicBoolean done) {
    int answered = 0;
    while (!done.get()) {
      assertThat(service.check(OTHER)).contains("\"allowed\":true", "\"rule\":\"all\"");
      answered++;
    }
    return answered;
  }
}
