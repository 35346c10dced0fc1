package io.penstock.bench.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import redis.embedded.core.ExecutableProvider;

/**
 * A redis-server process without persistence on a free port of the loopback interface. Uses
 * redis-server or valkey-server from the PATH, otherwise the binary of embedded-redis.
 */
final class RedisServer implements AutoCloseable {
  private static final int MAX_ATTEMPTS = 100;

  private final int port;
  private final Process process;
  private final RedisClient client;
  private final StatefulRedisConnection<String, String> connection;

  RedisServer(String... options) throws IOException, InterruptedException {
    this.port = freePort();
    List<String> command = new ArrayList<>(List.of(program(), "--port", "" + port));
    command.addAll(List.of("--bind", "127.0.0.1", "--save", "", "--appendonly", "no"));
    command.addAll(List.of(options));
    this.process =
        new ProcessBuilder(command)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    // An aborted run leaves no server behind.
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    this.client = RedisClient.create(url());
    this.connection = connect();
  }

  private StatefulRedisConnection<String, String> connect() throws InterruptedException {
    RedisConnectionException last = null;
    for (int attempt = 0; attempt < MAX_ATTEMPTS && process.isAlive(); attempt++) {
      try {
        return client.connect();
      } catch (RedisConnectionException notYet) {
        last = notYet;
        TimeUnit.MILLISECONDS.sleep(50);
      }
    }
    process.destroyForcibly();
    throw new IllegalStateException("cannot connect to redis-server", last);
  }

  int port() {
    return port;
  }

  String url() {
    return "redis://127.0.0.1:" + port;
  }

  RedisCommands<String, String> commands() {
    return connection.sync();
  }

  ServerCounters counters() {
    return ServerCounters.parse(commands().info("everything"));
  }

  /** Returns the name and version. */
  String describe() {
    ServerCounters counters = counters();
    return counters
        .text("valkey_version")
        .map(version -> "Valkey " + version)
        .orElseGet(() -> "Redis " + counters.text("redis_version").orElse("?"));
  }

  @Override
  public void close() {
    client.shutdown(0, 0, TimeUnit.MILLISECONDS);
    process.destroyForcibly();
  }

  /** Returns a free port below 55536, because the cluster bus uses the port plus 10000. */
  private static int freePort() throws IOException {
    int port;
    do {
      try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
        port = socket.getLocalPort();
      }
    } while (port > 55_535);
    return port;
  }

  private static String program() throws IOException {
    Optional<Path> installed =
        Arrays.stream(System.getenv("PATH").split(File.pathSeparator, -1))
            .flatMap(
                folder ->
                    List.of("redis-server", "valkey-server").stream()
                        .map(name -> Path.of(folder, name)))
            .filter(path -> path.toFile().canExecute())
            .findFirst();
    return installed.isPresent()
        ? installed.get().toString()
        : ExecutableProvider.newJarResourceProvider().get().getPath();
  }
}
