package io.penstock.bench.http;

import io.penstock.bench.contest.FailedRunException;
import io.penstock.bench.contest.Jvm;
import io.penstock.bench.http.Question.Reply;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A server of one worker, in a process of its own on a free port of the loopback. */
final class ServerProcess implements AutoCloseable {
  private static final Path JAR = Path.of("cli", "target", "penstock.jar");
  private static final List<String> HEAP = List.of("-Xms256m", "-Xmx256m");
  private static final int MOST_ATTEMPTS = 600;
  private static final String POLICY =
      """
      rules:
        - name: address
          limit_keys: ["ip:address"]
          rate: 1000000/s
          burst: 1000000000
      """;

  private final int port;
  private final Process process;

  private ServerProcess(int port, List<String> command) throws IOException, InterruptedException {
    this.port = port;
    this.process =
        new ProcessBuilder(command)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    // A run that is broken off leaves no server behind.
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    awaitOpen();
  }

  /** The decision service, its store in process. */
  static ServerProcess penstock() throws IOException, InterruptedException {
    Path policy = Files.createTempFile("penstock", ".yaml");
    policy.toFile().deleteOnExit();
    Files.writeString(policy, POLICY);
    int port = freePort();
    List<String> command = java();
    command.addAll(
        List.of("-jar", JAR.toString(), "serve", "--host", "127.0.0.1", "--workers", "1"));
    command.addAll(List.of("--port", "" + port, "--admin-port", "0", "--log-level", "warn"));
    command.addAll(List.of("--policy", policy.toString()));
    return new ServerProcess(port, command);
  }

  /** A server that answers {@code reply} to everything. */
  static ServerProcess bare(Reply reply) throws IOException, InterruptedException {
    int port = freePort();
    List<String> command = java();
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(BareServer.class.getName(), "" + port, reply.body()));
    command.addAll(reply.headers());
    return new ServerProcess(port, command);
  }

  /** nginx with limit_req on the address, which sends {@code reply}'s headers. */
  static ServerProcess nginx(Reply reply) throws IOException, InterruptedException {
    int port = freePort();
    return new ServerProcess(port, Nginx.command(port, reply));
  }

  private static List<String> java() {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(Jvm.QUIET);
    command.addAll(HEAP);
    return command;
  }

  int port() {
    return port;
  }

  private void awaitOpen() throws InterruptedException {
    for (int attempt = 0; attempt < MOST_ATTEMPTS && process.isAlive(); attempt++) {
      try {
        new Socket(InetAddress.getLoopbackAddress(), port).close();
        return;
      } catch (IOException notYet) {
        TimeUnit.MILLISECONDS.sleep(50);
      }
    }
    process.destroyForcibly();
    throw new FailedRunException("a server does not open its port: " + process.info());
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(5, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
