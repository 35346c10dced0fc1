package io.penstock.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import redis.embedded.core.ExecutableProvider;

/**
 * A real redis-server of a test's own, on a free port of the loopback. One on the PATH is preferred
 * (or a valkey-server); otherwise the one that comes with embedded-redis.
 */
final class RedisProcess implements AutoCloseable {
  private static final String PROGRAM = program();

  private final Path folder;
  private final List<String> command = new ArrayList<>();
  private final int port;
  private Process process;

  private RedisProcess(int port, String... options) {
    this.port = port;
    try {
      this.folder = Files.createTempDirectory("penstock-redis");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    command.addAll(
        List.of(
            PROGRAM,
            "--port",
            "" + port,
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--dir",
            folder.toString()));
    command.addAll(List.of(options));
    restart();
  }

  /** A server that takes connections. */
  static RedisProcess start(String... options) {
    return new RedisProcess(freePort(), options);
  }

  /** Starts it again after it was killed, on the same port and with nothing in it. */
  void restart() {
    try {
      process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("log").toFile())
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    await();
  }

  String url() {
    return "redis://127.0.0.1:" + port;
  }

  int port() {
    return port;
  }

  void kill() {
    process.destroyForcibly();
    join();
  }

  /** Stops it in its tracks: connections stay, nothing is answered. */
  void freeze() {
    signal("STOP");
  }

  void thaw() {
    signal("CONT");
  }

  private void signal(String name) {
    try {
      int status =
          new ProcessBuilder("kill", "-" + name, "" + process.pid()).inheritIO().start().waitFor();
      if (status != 0) {
        throw new IllegalStateException("kill -" + name + " failed: " + status);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Runs commands on a connection of its own. */
  <T> T with(Function<RedisCommands<String, String>, T> commands) {
    RedisClient client = RedisClient.create(url());
    try (StatefulRedisConnection<String, String> connection = client.connect()) {
      return commands.apply(connection.sync());
    } finally {
      client.shutdown(0, 0, TimeUnit.MILLISECONDS);
    }
  }

  @Override
  public void close() {
    thaw();
    kill();
    for (File file : folder.toFile().listFiles()) {
      file.delete();
    }
    folder.toFile().delete();
  }

  private void join() {
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void await() {
    for (int i = 0; i < 1_000; i++) {
      try (Socket socket = new Socket()) {
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 100);
        socket.getOutputStream().write("PING\r\n".getBytes(US_ASCII));
        socket.setSoTimeout(100);
        if (socket.getInputStream().read() >= 0) {
          return;
        }
      } catch (IOException notYet) {
        Thread.onSpinWait();
      }
      if (!process.isAlive()) {
        throw new IllegalStateException("redis-server ended, see " + folder.resolve("log"));
      }
      LockSupport.parkNanos(10_000_000);
    }
    throw new IllegalStateException("redis-server doesn't answer");
  }

  static int freePort() {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String program() {
    for (String folder : System.getenv("PATH").split(File.pathSeparator, -1)) {
      for (String name : List.of("redis-server", "valkey-server")) {
        File file = new File(folder, name);
        if (file.canExecute()) {
          return file.getPath();
        }
      }
    }
    try {
      return ExecutableProvider.newJarResourceProvider().get().getPath();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
