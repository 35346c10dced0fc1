package io.penstock.server.database;

import static io.penstock.testing.Waiting.await;

import io.penstock.testing.Ports;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A PostgreSQL server for one test, which can be killed and restarted. */
final class PostgresProcess implements AutoCloseable {
  private final Path data;
  private final int port;
  private EmbeddedPostgres server;

  PostgresProcess(Path folder) {
    this.data = folder.resolve("data");
    this.port = Ports.free();
    start();
  }

  void start() {
    try {
      server =
          EmbeddedPostgres.builder()
              .setDataDirectory(data)
              .setCleanDataDirectory(false)
              .setPort(port)
              .setServerConfig("synchronous_commit", "off")
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String url() {
    return "postgres://postgres@127.0.0.1:" + port + "/postgres";
  }

  /** Kills the server, as kill -9 does. */
  void kill() throws Exception {
    long pid = Long.parseLong(Files.readAllLines(data.resolve("postmaster.pid")).get(0).strip());
    ProcessHandle process = ProcessHandle.of(pid).orElseThrow();
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    await().until(() -> !process.isAlive());
    close();
  }

  /** Sends a signal to all its processes. */
  void signal(String name) throws Exception {
    long pid = Long.parseLong(Files.readAllLines(data.resolve("postmaster.pid")).get(0).strip());
    ProcessHandle process = ProcessHandle.of(pid).orElseThrow();
    List<String> command = new ArrayList<>(List.of("kill", "-" + name, "" + pid));
    process.descendants().forEach(child -> command.add("" + child.pid()));
    if (new ProcessBuilder(command).inheritIO().start().waitFor() != 0) {
      throw new IllegalStateException("kill -" + name + " failed");
    }
  }

  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
