package io.penstock.cli.recipes;

import static io.penstock.testing.Waiting.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A child process, which is killed when the test ends. */
final class Running implements AutoCloseable {
  private static final int CONNECT_TIMEOUT_MILLIS = 1_000;

  private final Process process;
  private final Path log;

  private Running(Process process, Path log) {
    this.process = process;
    this.log = log;
  }

  /** Starts a program in a folder, which also holds its log. */
  static Running start(Path folder, List<String> command) {
    try {
      Path log = Files.createTempFile(folder, "log", ".txt");
      ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
      builder.environment().put("HOME", folder.toString());
      builder.redirectErrorStream(true).redirectOutput(log.toFile());
      return new Running(builder.start(), log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits until the process listens on a port. */
  Running listening(int port) {
    await("port " + port)
        .until(
            () -> {
              if (!process.isAlive()) {
                throw new IllegalStateException(
                    process.info().commandLine().orElse("") + " exited:\n" + log());
              }
              return accepts(port);
            });
    return this;
  }

  private static boolean accepts(int port) {
    try (Socket socket = new Socket()) {
      socket.connect(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_TIMEOUT_MILLIS);
      return true;
    } catch (IOException notYet) {
      return false;
    }
  }

  String log() {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void kill() {
    // The master first: while it lives, nginx replaces workers that exit.
    List<ProcessHandle> workers = process.descendants().toList();
    process.destroyForcibly();
    join();
    workers.forEach(ProcessHandle::destroyForcibly);
  }

  /** Suspends the process: connections stay open, and nothing is answered. */
  void freeze() {
    signal("STOP");
    // Until all threads have seen the signal, some of them may still answer.
    await("frozen").until(this::isFrozen);
  }

  private boolean isFrozen() throws IOException {
    try (Stream<Path> threads = Files.list(Path.of("/proc/" + process.pid() + "/task"))) {
      for (Path thread : threads.toList()) {
        String stat = Files.readString(thread.resolve("stat"));
        if (!stat.startsWith(" T ", stat.lastIndexOf(')') + 1)) {
          return false;
        }
      }
      return true;
    }
  }

  void thaw() {
    signal("CONT");
  }

  private void signal(String name) {
    try {
      int status = new ProcessBuilder("kill", "-" + name, "" + process.pid()).start().waitFor();
      if (status != 0) {
        throw new IllegalStateException("kill -" + name + " failed: " + status);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  int join() {
    try {
      return process.waitFor();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    kill();
  }
}
