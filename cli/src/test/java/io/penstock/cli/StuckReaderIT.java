package io.penstock.cli;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.penstock.testing.Ports;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks that a process whose output pipe is not read keeps serving. */
@Tag("full")
class StuckReaderIT {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  /** More lines than fit into a pipe and the queue of the log. */
  private static final int BATCHES = 15;

  private static final String BATCH =
      "{\"checks\":[" + String.join(",", Collections.nCopies(1_000, "{}")) + "]}";

  @TempDir Path folder;
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private int port;
  private int adminPort;
  private Process process;

  @BeforeEach
  void start() throws IOException {
    port = Ports.free();
    adminPort = Ports.free();
    ProcessBuilder builder =
        new ProcessBuilder(
                JarRun.JAVA.toString(),
                "-jar",
                JarRun.JAR.toString(),
                "serve",
                "--host=127.0.0.1",
                "--port=" + port,
                "--admin-port=" + adminPort,
                "--log-decisions=true")
            .directory(folder.toFile())
            .redirectErrorStream(true);
    builder.environment().keySet().removeIf(name -> name.startsWith("PENSTOCK_"));
    process = builder.start();
    await("ready").until(this::isReady);
  }

  @AfterEach
  void end() throws InterruptedException {
    process.destroyForcibly();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
  }

  private boolean isReady() {
    try {
      return admin("/readyz").statusCode() == 200;
    } catch (IOException notYet) {
      return false;
    }
  }

  private HttpResponse<String> admin(String path) throws IOException {
    return send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + adminPort + path)));
  }

  private HttpResponse<String> send(HttpRequest.Builder request) throws IOException {
    try {
      return client.send(request.timeout(TIMEOUT).build(), BodyHandlers.ofString());
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void overflowTheLog() throws IOException {
    for (int i = 0; i < BATCHES; i++) {
      URI uri = URI.create("http://127.0.0.1:" + port + "/v1/check/batch");
      assertThat(
              send(HttpRequest.newBuilder(uri).POST(BodyPublishers.ofString(BATCH))).statusCode())
          .isEqualTo(200);
    }
  }

  private double dropped() throws IOException {
    String name = "penstock_log_dropped_total ";
    return admin("/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith(name))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length())))
        .sum();
  }

  @Test
  void serve_outputNotRead_respondsAndCountsDroppedLines() throws IOException {
    overflowTheLog();

    assertThat(admin("/readyz").statusCode()).isEqualTo(200);
    assertThat(dropped()).isGreaterThan(1_000);
  }

  @Test
  void serve_outputReadAgain_logsTheNumberOfDroppedLines() throws IOException {
    overflowTheLog();

    BufferedReader reader =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    String line = reader.readLine();
    while (line != null && !line.contains("log lines were dropped")) {
      line = reader.readLine();
    }
    assertThat(line).isNotNull().contains("WARN");
  }

  @Test
  void shutdown_outputNotRead_isNotBlocked() throws Exception {
    assumeThat(List.of("Linux", "Mac OS X")).contains(System.getProperty("os.name"));
    overflowTheLog();

    process.destroy();

    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isZero();
  }
}
