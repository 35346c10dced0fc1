package io.penstock.cli.recipes;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.penstock.testing.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A Penstock process as users start it. It keeps its ports across restarts. */
final class PenstockProcess implements AutoCloseable {
  private static final Path JAR = Path.of("target", "penstock.jar").toAbsolutePath();
  private static final int WARM_UP = 50;

  private final Path folder;
  private final List<String> command;
  private final int port;
  private final int adminPort;
  private Running running;

  private PenstockProcess(Path folder, List<String> command, int port, int adminPort) {
    this.folder = folder;
    this.command = command;
    this.port = port;
    this.adminPort = adminPort;
    this.running = started();
  }

  /** Starts Penstock with a policy in its own folder, and waits until it responds. */
  static PenstockProcess start(Path parent, String policy, String... options) {
    int port = Ports.free();
    int adminPort = Ports.free();
    try {
      Path folder = Files.createTempDirectory(parent, "penstock");
      Path file = Files.writeString(folder.resolve("limits.yaml"), policy);
      List<String> command = new ArrayList<>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.addAll(List.of("-XX:TieredStopAtLevel=1", "-jar", JAR.toString(), "serve"));
      command.addAll(List.of("--policy", file.toString(), "--host", "127.0.0.1"));
      command.addAll(List.of("--port", "" + port, "--admin-port", "" + adminPort));
      command.addAll(List.of(options));
      return new PenstockProcess(folder, command, port, adminPort);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads a policy from the test resources. */
  static String policy(String name) {
    try (var in = PenstockProcess.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalArgumentException("no resource " + name);
      }
      return new String(in.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Running started() {
    Running started = Running.start(folder, command).listening(adminPort).listening(port);
    // A JVM that has just started is slow, which is not what these tests are about.
    Client client = Client.of(port);
    for (int i = 0; i < WARM_UP; i++) {
      client.get("/v1/forward-auth", "X-Forwarded-For: 192.0.2." + i);
    }
    return started;
  }

  int port() {
    return port;
  }

  int adminPort() {
    return adminPort;
  }

  void kill() {
    running.kill();
  }

  /** Restarts the killed process on the same ports, with empty state. */
  void restart() {
    running = started();
  }

  void freeze() {
    running.freeze();
  }

  void thaw() {
    running.thaw();
  }

  @Override
  public void close() {
    running.close();
  }
}
