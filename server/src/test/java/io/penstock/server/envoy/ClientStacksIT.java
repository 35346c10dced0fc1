package io.penstock.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import io.penstock.server.RunningServer;
import io.penstock.server.Setting;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The rate limit service, asked by other implementations of gRPC than that of Java. */
@Tag("full")
class ClientStacksIT {
  private static final String[] ANSWERS = {
    "code 1 status 1 remaining 1",
    "code 1 status 1 remaining 0",
    "code 2 status 2 remaining 0",
    "code 1 status 1 remaining 1",
    "code 1 status 1 remaining 0",
    "INVALID_ARGUMENT descriptors must be at most 100: 101",
    "INVALID_ARGUMENT domain must not be empty",
    "health 1"
  };
  private static final Path PROGRAMS = Path.of("target", "client-stacks");

  @TempDir private Path folder;

  @Test
  void python_grpcio_getsRightAnswers() throws Exception {
    for (String python : List.of("/usr/bin/python3", "python3")) {
      if (succeeds(folder, python, "-c", "import grpc")) {
        assertAnswers(folder, python, copy(folder, "client.py"));
        return;
      }
    }
    skip("grpcio is not installed (Debian: python3-grpcio)");
  }

  @Test
  void node_grpcJs_getsRightAnswers() throws Exception {
    Path modules = Files.createDirectories(PROGRAMS);
    for (String file : List.of("package.json", "package-lock.json")) {
      copy(modules, file);
    }
    String[] install = {"npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"};
    if (!succeeds(modules, "node", "--version") || !succeeds(modules, install)) {
      skip("node or npm is missing, or npm can't install @grpc/grpc-js");
    }
    assertAnswers(modules, "node", copy(modules, "client.js"));
  }

  private static void skip(String reason) {
    System.err.println("skipped: " + reason);
    abort(reason);
  }

  private void assertAnswers(Path modules, String... client) throws Exception {
    Path config =
        Files.writeString(
            folder.resolve("envoy.yaml"),
            """
            domain: shop
            descriptors:
              - {key: user, rate_limit: {unit: year, requests_per_unit: 2}}
            """);
    try (RunningServer server =
        RunningServer.with(
            Map.of(
                Setting.ENVOY, config.toString(),
                Setting.ENVOY_HOST, "127.0.0.1",
                Setting.ENVOY_PORT, "0"))) {
      List<String> command = new ArrayList<>(List.of(client));
      command.add("" + server.server().envoyPort().orElseThrow());
      Path out = folder.resolve("answers.txt");
      Process process =
          new ProcessBuilder(command)
              .directory(modules.toFile())
              .redirectErrorStream(true)
              .redirectOutput(out.toFile())
              .start();
      assertThat(process.waitFor(2, TimeUnit.MINUTES)).as(Files.readString(out)).isTrue();
      assertThat(Files.readAllLines(out)).containsExactly(ANSWERS);
    }
  }

  /** Returns whether a program is there and ends with status 0. */
  private static boolean succeeds(Path directory, String... command) throws InterruptedException {
    try {
      Process process =
          new ProcessBuilder(command)
              .directory(directory.toFile())
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      if (process.waitFor(2, TimeUnit.MINUTES)) {
        return process.exitValue() == 0;
      }
      process.destroyForcibly();
      return false;
    } catch (IOException missing) {
      return false;
    }
  }

  private static String copy(Path to, String file) throws IOException {
    Path copy = to.resolve(file).toAbsolutePath();
    try (InputStream in = ClientStacksIT.class.getResourceAsStream("clients/" + file)) {
      Files.write(copy, Objects.requireNonNull(in, file).readAllBytes());
    }
    return copy.toString();
  }
}
