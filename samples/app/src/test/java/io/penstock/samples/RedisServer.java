package io.penstock.samples;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import redis.embedded.core.ExecutableProvider;

/** A real Redis of a test's own: that of the PATH, else the one that comes with embedded-redis. */
final class RedisServer implements AutoCloseable {
  private final int port;
  private final Process process;

  private RedisServer(int port, Process process) {
    this.port = port;
    this.process = process;
  }

  static RedisServer start(Path folder) {
    try {
      int port = freePort();
      Process process =
          new ProcessBuilder(
                  List.of(program(), "--port", "" + port, "--bind", "127.0.0.1", "--save", ""))
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("redis.log").toFile())
              .start();
      RedisServer server = new RedisServer(port, process);
      server.await();
      return server;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String url() {
    return "redis://127.0.0.1:" + port;
  }

  /** Ends it as kill -9 does. */
  void kill() {
    try {
      process.destroyForcibly().waitFor();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Stops it in its tracks: connections stay, nothing is answered. */
  void freeze() {
    try {
      new ProcessBuilder("kill", "-STOP", "" + process.pid()).inheritIO().start().waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void await() {
    for (int attempt = 0; attempt < 1_000 && process.isAlive(); attempt++) {
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        socket.setSoTimeout(1_000);
        socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
        if (socket.getInputStream().read() == '+') {
          return;
        }
      } catch (IOException notYet) {
        LockSupport.parkNanos(10_000_000);
      }
    }
    throw new IllegalStateException("redis-server does not answer");
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  private static String program() throws IOException {
    for (String folder : System.getenv("PATH").split(File.pathSeparator, -1)) {
      for (String name : List.of("redis-server", "valkey-server")) {
        File file = new File(folder, name);
        if (file.canExecute()) {
          return file.getPath();
        }
      }
    }
    return ExecutableProvider.newJarResourceProvider().get().getPath();
  }

  @Override
  public void close() {
    kill();
  }
}
