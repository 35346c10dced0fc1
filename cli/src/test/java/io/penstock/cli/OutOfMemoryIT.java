package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks that a process that is out of memory exits, however it was started. */
@Tag("full")
class OutOfMemoryIT {
  private static final int BATCH = 1_000;
  private static final int MAX_BATCHES = 2_000;

  @TempDir Path folder;

  @Test
  void serve_startedWithJavaJar_exitsWithStatusThree() throws IOException {
    Path policy =
        Files.writeString(
            folder.resolve("policy.yaml"),
            "{name: each, limit_keys: [user_id], rate: 1/day, burst: 1}\n");
    try (Service service =
        Service.start(
            folder,
            List.of("-Xmx32m", "-XX:+UseSerialGC"),
            "--policy=" + policy,
            "--max-keys=" + (1 << 30))) {
      fill(service);

      assertThat(service.process().await()).as(service.process().err()).isEqualTo(3);
      assertThat(service.process().err()).contains("out of memory");
    }
  }

  /** Requests new keys, each of which takes memory, until the process has exited. */
  private static void fill(Service service) {
    for (int batch = 0; batch < MAX_BATCHES && service.process().isAlive(); batch++) {
      int first = batch * BATCH;
      String checks =
          IntStream.range(first, first + BATCH)
              .mapToObj(i -> "{\"attributes\":{\"user_id\":\"" + i + "\"}}")
              .collect(Collectors.joining(",", "{\"checks\":[", "]}"));
      try {
        service.send(
            HttpRequest.newBuilder(
                    URI.create("http://127.0.0.1:" + service.port() + "/v1/check/batch"))
                .POST(BodyPublishers.ofString(checks)));
      } catch (RuntimeException closed) {
        return;
      }
    }
  }

  @Test
  void launcher_options_exitOnOutOfMemory() throws IOException {
    Path unpacked = Files.createDirectory(folder.resolve("unpacked"));
    String launcher = Distribution.unpack(unpacked).command().toString();
    List<String> command =
        List.of("env", "PENSTOCK_JAVA_OPTS=-XX:+PrintFlagsFinal", launcher, "--version");
    try (JarRun run = JarRun.startCommand(folder, command)) {
      assertThat(run.await()).as(run.err()).isZero();
      assertThat(run.out()).containsPattern("ExitOnOutOfMemoryError +:?= true");
    }
    assertThat(Files.readString(Path.of("..", "penstock"))).contains("-XX:+ExitOnOutOfMemoryError");
  }
}
