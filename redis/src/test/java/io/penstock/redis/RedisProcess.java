package io.penstock.redis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScoredValue;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.penstock.testing.Ports;
import java.io.BufferedInputStream;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
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
 * A real redis-server for one test, on a free loopback port. Prefers a redis-server or
 * valkey-server on the PATH; otherwise uses the embedded one. Tests of other modules use it as
 * well.
 */
public final class RedisProcess implements AutoCloseable {
  private static final String PROGRAM = program();

  private final Path folder;
  private final List<String> command = new ArrayList<>();
  private final int port;
  private Process process;

  private RedisProcess(int port, Path folder, List<String> options) {
    this.port = port;
    this.folder = folder;
    command.add(PROGRAM);
    command.addAll(options);
    restart();
  }

  /** Starts a server, and waits until it accepts connections. */
  public static RedisProcess start(String... options) {
    return start(Ports.free(), options);
  }

  static RedisProcess start(int port, String... options) {
    Path folder = folder();
    List<String> all = new ArrayList<>(List.of("--port", "" + port, "--bind", "127.0.0.1"));
    all.addAll(
        List.of("--save", "", "--dir", folder.toString(), "--repl-diskless-sync-delay", "0"));
    all.addAll(List.of(options));
    return new RedisProcess(port, folder, all);
  }

  /** Starts a sentinel that considers a primary failed after half a second. */
  static RedisProcess sentinel(String name, int primary, int quorum) {
    int port = Ports.free();
    Path folder = folder();
    Path settings = folder.resolve("sentinel.conf");
    String text =
        """
        port %d
        bind 127.0.0.1
        dir %s
        sentinel monitor %s 127.0.0.1 %d %d
        sentinel down-after-milliseconds %s 500
        sentinel failover-timeout %s 3000
        """
            .formatted(port, folder, name, primary, quorum, name, name);
    try {
      Files.writeString(settings, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new RedisProcess(port, folder, List.of(settings.toString(), "--sentinel"));
  }

  private static Path folder() {
    try {
      return Files.createTempDirectory("penstock-redis");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Restarts a killed server on the same port, without data. */
  public void restart() {
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

  public String url() {
    return "redis://127.0.0.1:" + port;
  }

  int port() {
    return port;
  }

  public void kill() {
    process.destroyForcibly();
    join();
  }

  /** Pauses the process: connections stay open, but nothing is processed. */
  public void freeze() {
    signal("STOP");
  }

  public void thaw() {
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

  /** Returns the time of the server in microseconds. */
  public long micros() {
    String reply =
        command("EVAL", "local t = redis.call('TIME') return t[1] * 1000000 + t[2]", "0");
    return Long.parseLong(reply.substring(1));
  }

  /** The scores of a sorted set, in order. */
  public List<Double> scores(String key) {
    return with(
        commands ->
            commands.zrangeWithScores(key, 0, -1).stream().map(ScoredValue::getScore).toList());
  }

  /** Runs commands on a separate connection. */
  <T> T with(Function<RedisCommands<String, String>, T> commands) {
    RedisClient client = RedisClient.create(url());
    try (StatefulRedisConnection<String, String> connection = client.connect()) {
      return commands.apply(connection.sync());
    } finally {
      // Not waited for, because it sometimes never completes.
      var unused = client.shutdownAsync(0, 0, TimeUnit.MILLISECONDS);
    }
  }

  /** Runs a command on a separate connection; returns the reply of the server, including errors. */
  String command(String... words) {
    try (Socket socket = send(words)) {
      socket.setSoTimeout(10_000);
      BufferedInputStream in = new BufferedInputStream(socket.getInputStream());
      String line = line(in);
      if (line.startsWith("$") && !line.equals("$-1")) {
        return new String(in.readNBytes(Integer.parseInt(line.substring(1))), ISO_8859_1);
      }
      return line;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sends a command without waiting for its reply. */
  Socket send(String... words) {
    StringBuilder request = new StringBuilder("*" + words.length + "\r\n");
    for (String word : words) {
      request.append('$').append(word.length()).append("\r\n").append(word).append("\r\n");
    }
    try {
      Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
      socket.getOutputStream().write(request.toString().getBytes(ISO_8859_1));
      return socket;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static void end(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String line(BufferedInputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    int c;
    while ((c = in.read()) >= 0 && c != '\n') {
      line.append((char) c);
    }
    return line.toString().trim();
  }

  /** Returns whether the server was built with TLS. */
  public boolean knowsTls() {
    return !command("CONFIG", "GET", "tls-port").equals("*0");
  }

  /** Returns keys of the store without a time to live. */
  List<String> keysWithoutTtl() {
    return with(
        redis -> redis.keys("penstock:*").stream().filter(key -> redis.pttl(key) == -1).toList());
  }

  @Override
  public void close() {
    if (process.isAlive()) {
      thaw();
    }
    kill();
    File[] files = folder.toFile().listFiles();
    for (File file : files == null ? new File[0] : files) {
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
        throw new IllegalStateException("redis-server exited, see " + folder.resolve("log"));
      }
      LockSupport.parkNanos(10_000_000);
    }
    throw new IllegalStateException("redis-server does not respond");
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
