package io.penstock.cli;

import static io.penstock.testing.Waiting.await;

import io.penstock.testing.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A {@code penstock serve} process on free ports of the loopback interface. */
final class Service implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(TIMEOUT).build();
  private final JarRun run;
  private final int port;
  private final int adminPort;
  private final long readyMillis;

  private Service(JarRun run, int port, int adminPort) {
    this.run = run;
    this.port = port;
    this.adminPort = adminPort;
    long start = System.nanoTime();
    await("ready").until(this::isReady);
    this.readyMillis = (System.nanoTime() - start) / 1_000_000;
  }

  /** Starts a service and waits until it is ready. */
  static Service start(Path folder, String... args) {
    return start(folder, List.of(), args);
  }

  /**
   * Starts a service and waits until it is ready.
   *
   * @param options JVM options
   */
  static Service start(Path folder, List<String> options, String... args) {
    List<String> command = new ArrayList<>(List.of(JarRun.JAVA.toString()));
    command.addAll(options);
    command.addAll(List.of("-jar", JarRun.JAR.toString()));
    return startCommand(folder, command, args);
  }

  /**
   * Starts a service and waits until it is ready.
   *
   * @param command the words before {@code serve}
   */
  static Service startCommand(Path folder, List<String> command, String... args) {
    int port = Ports.free();
    int adminPort = Ports.free();
    List<String> all = new ArrayList<>(command);
    all.addAll(List.of("serve", "--host=127.0.0.1", "--port=" + port, "--admin-port=" + adminPort));
    all.addAll(List.of(args));
    JarRun run = JarRun.startCommand(folder, all);
    try {
      return new Service(run, port, adminPort);
    } catch (RuntimeException | Error e) {
      run.close();
      throw e;
    }
  }

  private boolean isReady() {
    if (!run.isAlive()) {
      throw new IllegalStateException("exited: " + run.err());
    }
    try (var probe = new java.net.Socket(InetAddress.getLoopbackAddress(), adminPort)) {
      return probe.isConnected() && admin("/readyz").statusCode() == 200;
    } catch (IOException notYet) {
      return false;
    }
  }

  /** Returns the time from the start of the process until it was ready. */
  long readyMillis() {
    return readyMillis;
  }

  int port() {
    return port;
  }

  int adminPort() {
    return adminPort;
  }

  JarRun process() {
    return run;
  }

  HttpResponse<String> admin(String path) {
    return send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + adminPort + path)));
  }

  String adminPost(String path, String body) {
    return send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + adminPort + path))
            .POST(BodyPublishers.ofString(body)))
        .body();
  }

  /** Returns the sum of a metric over all labels, or over those with a prefix. */
  double metric(String name) {
    return admin("/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith(name))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  /** Returns whether {@code /readyz} reports that the store is unavailable. */
  boolean isDegraded() {
    return admin("/readyz").body().contains("\"degraded\":true");
  }

  /** Sends {@code POST /v1/check} and returns the response body. */
  String check(String body) {
    HttpResponse<String> response =
        send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/v1/check"))
                .POST(BodyPublishers.ofString(body)));
    if (response.statusCode() != 200) {
      throw new AssertionError(response.statusCode() + " " + response.body());
    }
    return response.body();
  }

  /** Sends a forward-auth request with alternating header names and values. */
  HttpResponse<String> forwardAuth(String... headers) {
    return send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/v1/forward-auth"))
            .headers(headers));
  }

  /** Sends a forward-auth request asynchronously. */
  CompletableFuture<HttpResponse<String>> forwardAuth() {
    return client.sendAsync(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/v1/forward-auth"))
            .timeout(TIMEOUT)
            .build(),
        BodyHandlers.ofString());
  }

  HttpResponse<String> send(HttpRequest.Builder request) {
    try {
      return client.send(request.timeout(TIMEOUT).build(), BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    run.close();
  }
}
