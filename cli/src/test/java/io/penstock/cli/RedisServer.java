package io.penstock.cli;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import redis.embedded.core.ExecutableProvider;

/**
 * A real Redis of a test's own: that of the PATH, else the one that comes with embedded-redis. It
 * can be killed and started again, with nothing in it, on the same port.
 */
final class RedisServer implements AutoCloseable {
  private final Path folder;
  private final int port = Service.freePort();
  private Process process;

  private RedisServer(Path folder) {
    this.folder = folder;
    this.process = launch();
  }

  static RedisServer start(Path folder) {
    return new RedisServer(folder);
  }

  String url() {
    return "redis://127.0.0.1:" + port;
  }

  void restart() {
    process = launch();
  }

  private Process launch() {
    List<String> command =
        List.of(program(), "--port", "" + port, "--bind", "127.0.0.1", "--save", "");
    try {
      Process launched =
          new ProcessBuilder(command)
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("redis.log").toFile())
              .start();
      Await.until("Redis answers", this::answers);
      return launched;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean answers() {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(1_000);
      socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
      return socket.getInputStream().read() == '+';
    } catch (IOException notYet) {
      return false;
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

  void kill() {
    try {
      process.destroyForcibly().waitFor();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    kill();
  }
}
