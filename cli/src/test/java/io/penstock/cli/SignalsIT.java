package io.penstock.cli;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("full")
class SignalsIT {
  private static final int SIGHUP = 1;
  private static final int SIGINT = 2;

  @TempDir Path folder;
  private String policy;

  @BeforeEach
  void writePolicy() throws IOException {
    policy =
        Files.writeString(
                folder.resolve("policy.yaml"),
                "{name: slow, limit_keys: [], rate: 1/s, burst: 1, on_limit: delay,"
                    + " max_delay_ms: 3000}\n")
            .toString();
  }

  @Test
  void sighup_policyUnchanged_isReloaded() throws IOException {
    assumeFalse(ignores(SIGHUP), "SIGHUP is ignored here");
    try (Service service = Service.start(folder, "--policy", policy)) {
      String before = service.admin("/readyz").body();

      service.process().signal("HUP");

      await("reload").until(() -> !service.admin("/readyz").body().equals(before));
      // Another thread writes the log.
      await("log").until(() -> service.process().err().contains("policy reloaded"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"TERM", "INT"})
  void shutdown_requestInFlight_isAnsweredFirst(String signal) throws Exception {
    assumeFalse(signal.equals("INT") && ignores(SIGINT), "SIGINT is ignored here");
    try (Service service = Service.start(folder, "--policy", policy)) {
      assertThat(service.forwardAuth().get(30, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
      CompletableFuture<HttpResponse<String>> first = service.forwardAuth();
      CompletableFuture<HttpResponse<String>> second = service.forwardAuth();
      await("both decided").until(() -> decided(service) == 3);

      long begin = System.nanoTime();
      service.process().signal(signal);

      assertThat(first.get(30, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
      assertThat(second.get(30, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
      assertThat(service.process().await()).isZero();
      long millis = (System.nanoTime() - begin) / 1_000_000;
      System.out.println("exited " + millis + " ms after SIG" + signal);
      assertThat(service.process().err()).contains("shutdown complete").doesNotContain("Exception");
    }
  }

  /**
   * Returns whether this process ignores a signal, which child processes inherit: SIGHUP under
   * nohup, and SIGINT if a shell without job control started the process in the background.
   */
  private static boolean ignores(int signal) throws IOException {
    Path status = Path.of("/proc/self/status");
    if (!Files.exists(status)) {
      return false;
    }
    try (Stream<String> lines = Files.lines(status)) {
      return lines
          .filter(line -> line.startsWith("SigIgn:"))
          .mapToLong(line -> Long.parseUnsignedLong(line.substring(7).strip(), 16))
          .anyMatch(ignored -> (ignored >> (signal - 1) & 1) != 0);
    }
  }

  private static long decided(Service service) {
    return service
        .admin("/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith("penstock_decisions_total{"))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' '))))
        .sum();
  }
}
