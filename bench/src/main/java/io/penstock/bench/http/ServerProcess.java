package io.penstock.bench.http;

import io.penstock.bench.contest.FailedRunException;
import io.penstock.bench.contest.Jvm;
import io.penstock.bench.http.BenchRequest.BenchResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A server process with one worker, on a free port of the loopback interface. */
final class ServerProcess implements AutoCloseable {
  private static final Path JAR = Path.of("cli", "target", "penstock.jar");
  private static final Path SAMPLE = Path.of("samples", "spring-boot-4", "target", "sample.jar");
  private static final String SAMPLE_LAUNCHER =
      "org.springframework.boot.loader.launch.PropertiesLauncher";
  private static final List<String> HEAP = List.of("-Xms256m", "-Xmx256m");
  private static final Duration MAX_START_TIME = Duration.ofSeconds(30);

  private final int port;
  private final Process process;
  private final Duration startTime;

  private ServerProcess(int port, List<String> command) throws IOException, InterruptedException {
    this.port = port;
    long startNanos = System.nanoTime();
    this.process =
        new ProcessBuilder(command)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    // An aborted run leaves no server behind.
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    awaitOpen(startNanos);
    this.startTime = Duration.ofNanos(System.nanoTime() - startNanos);
  }

  /** Starts the decision service with an in-process store. */
  static ServerProcess penstock() throws IOException, InterruptedException {
    int port = freePort();
    return new ServerProcess(port, serve(HttpPolicy.GENEROUS.policy, "0", "--port", "" + port));
  }

  /** Starts the rate limit service for Envoy with an in-process store. */
  static ServerProcess envoy(String config) throws IOException, InterruptedException {
    int port = freePort();
    Path file = Files.createTempFile("penstock-envoy", ".yaml");
    file.toFile().deleteOnExit();
    Files.writeString(file, config);
    return new ServerProcess(
        port,
        serve(
            HttpPolicy.GENEROUS.policy,
            "0",
            "--port",
            "0",
            "--envoy",
            file.toString(),
            "--envoy-host",
            "127.0.0.1",
            "--envoy-port",
            "" + port));
  }

  /** Starts a server for gRPC that sends the same message to every call. */
  static ServerProcess bareGrpc(String message) throws IOException, InterruptedException {
    int port = freePort();
    return new ServerProcess(port, main(BareGrpcServer.class, "" + port, message));
  }

  /** Starts the proxy of Penstock. */
  static ServerProcess proxy(ServerProcess origin, HttpPolicy policy)
      throws IOException, InterruptedException {
    int port = freePort();
    String upstream = "http://127.0.0.1:" + origin.port;
    return new ServerProcess(
        port,
        serve(
            policy.policy, "0", "--port", "0", "--proxy-port", "" + port, "--upstream", upstream));
  }

  /** Starts the decision service with a policy, some settings and an in-process store. */
  static ServerProcess penstock(String policy, int adminPort, String... options)
      throws IOException, InterruptedException {
    return penstock(List.of(), policy, adminPort, options);
  }

  /** Like {@link #penstock(String, int, String...)}, with options of the JVM. */
  static ServerProcess penstock(
      List<String> jvmOptions, String policy, int adminPort, String... options)
      throws IOException, InterruptedException {
    int port = freePort();
    List<String> command = serve(policy, "" + adminPort, options);
    command.addAll(1, jvmOptions);
    command.addAll(List.of("--port", "" + port));
    return new ServerProcess(port, command);
  }

  /**
   * Starts the sample application of Spring MVC with a launcher that accepts additional classes.
   */
  static ServerProcess sample(List<String> options, List<String> settings)
      throws IOException, InterruptedException {
    int port = freePort();
    List<String> command = java();
    command.addAll(options);
    command.addAll(List.of("-cp", SAMPLE.toString(), SAMPLE_LAUNCHER));
    command.addAll(List.of("--server.port=" + port, "--server.address=127.0.0.1"));
    command.addAll(settings);
    return new ServerProcess(port, command);
  }

  private static List<String> serve(String policy, String adminPort, String... options)
      throws IOException {
    Path file = Files.createTempFile("penstock", ".yaml");
    file.toFile().deleteOnExit();
    Files.writeString(file, policy);
    List<String> command = java();
    command.addAll(List.of("-jar", JAR.toString(), "serve", "--workers", "1"));
    command.addAll(List.of("--host", "127.0.0.1", "--proxy-host", "127.0.0.1"));
    command.addAll(List.of("--admin-port", adminPort, "--log-level", "warn"));
    command.addAll(List.of("--policy", file.toString()));
    command.addAll(List.of(options));
    return command;
  }

  /** Starts a server that sends {@code reply} to every request. */
  static ServerProcess bare(BenchResponse reply) throws IOException, InterruptedException {
    int port = freePort();
    List<String> command = main(BareServer.class, "" + port, reply.body());
    command.addAll(reply.headers());
    return new ServerProcess(port, command);
  }

  /**
   * Starts the origin for proxies: nginx if it is installed, because it leaves them more CPU time.
   */
  static ServerProcess origin() throws IOException, InterruptedException {
    BenchResponse reply =
        new BenchResponse(200, List.of("Content-Type: image/gif"), "x".repeat(43));
    return Nginx.isInstalled() ? nginx(Nginx.origin()) : bare(reply);
  }

  /** Starts the proxy of the Vert.x project, which adds headers to the responses of the origin. */
  static ServerProcess vertxHttpProxy(ServerProcess origin, BenchResponse additions)
      throws IOException, InterruptedException {
    int port = freePort();
    List<String> command = main(VertxHttpProxy.class, "" + port, "" + origin.port);
    command.addAll(additions.headers());
    return new ServerProcess(port, command);
  }

  static ServerProcess haProxy(HaProxy haProxy) throws IOException, InterruptedException {
    int port = freePort();
    return new ServerProcess(port, haProxy.command(port));
  }

  static ServerProcess nginx(Nginx nginx) throws IOException, InterruptedException {
    int port = freePort();
    return new ServerProcess(port, nginx.command(port));
  }

  static List<String> main(Class<?> program, String... arguments) {
    List<String> command = java();
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
    command.addAll(List.of(arguments));
    return command;
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

  /** Returns the CPU time that the server has used, including that of its worker processes. */
  Duration cpuTime() {
    return processes()
        .flatMap(running -> running.info().totalCpuDuration().stream())
        .reduce(Duration.ZERO, Duration::plus);
  }

  /** Returns the time until the server accepted connections. */
  Duration startTime() {
    return startTime;
  }

  /** Returns the memory of the server and its workers; shared pages count in proportion. */
  long memoryBytes() throws IOException {
    long kilobytes = 0;
    for (ProcessHandle running : processes().toList()) {
      Path rollup = Path.of("/proc", "" + running.pid(), "smaps_rollup");
      for (String line : Files.readAllLines(rollup)) {
        if (line.startsWith("Pss:")) {
          kilobytes += Long.parseLong(line.replaceAll("\\D", ""));
        }
      }
    }
    return kilobytes << 10;
  }

  private Stream<ProcessHandle> processes() {
    return Stream.concat(Stream.of(process.toHandle()), process.descendants());
  }

  private void awaitOpen(long startNanos) throws InterruptedException {
    while (process.isAlive() && System.nanoTime() - startNanos < MAX_START_TIME.toNanos()) {
      try {
        new Socket(InetAddress.getLoopbackAddress(), port).close();
        return;
      } catch (IOException notYet) {
        TimeUnit.MILLISECONDS.sleep(2);
      }
    }
    process.destroyForcibly();
    throw new FailedRunException("the server does not listen on its port: " + process.info());
  }

  static int freePort() throws IOException {
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
