package io.penstock.cli;

import io.penstock.testing.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** {@code penstock serve --upstream} as a process with a small heap. */
final class ProxyService implements AutoCloseable {
  private static final int TIMEOUT_MILLIS = 60_000;
  private static final int RECEIVE_BUFFER_BYTES = 128 << 10;

  private final Service service;
  private final int port;

  private ProxyService(Service service, int port) {
    this.service = service;
    this.port = port;
  }

  static ProxyService start(Path folder, String heap, String upstream, String... more)
      throws IOException {
    Path policy =
        Files.writeString(
            folder.resolve("policy.yaml"),
            "{name: all, limit_keys: ['ip:address'], rate: 100000/s, burst: 100000}\n");
    int port = Ports.free();
    List<String> args = new ArrayList<>(List.of("--policy", policy.toString()));
    args.addAll(List.of("--upstream", upstream));
    args.addAll(List.of("--proxy-host=127.0.0.1", "--proxy-port=" + port));
    args.addAll(List.of(more));
    List<String> options = List.of("-Xmx" + heap, "-XX:+ExitOnOutOfMemoryError");
    return new ProxyService(Service.start(folder, options, args.toArray(String[]::new)), port);
  }

  Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(TIMEOUT_MILLIS);
    return socket;
  }

  /** Connects with a small receive buffer. By default, the kernel would buffer megabytes. */
  Socket connectSlowly() throws IOException {
    Socket socket = new Socket();
    socket.setReceiveBufferSize(RECEIVE_BUFFER_BYTES);
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    socket.setSoTimeout(TIMEOUT_MILLIS);
    return socket;
  }

  String get(String path) {
    try {
      return service
          .send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)))
          .body();
    } catch (UncheckedIOException e) {
      throw new AssertionError("alive: " + isAlive() + ", stderr: " + service.process().err(), e);
    }
  }

  int inFlight() {
    return (int) service.metric("penstock_proxy_in_flight ");
  }

  int connections() {
    return (int) service.metric("penstock_connections{listener=\"proxy\"}");
  }

  /** Describes the memory use of the process, for information only. */
  String figures() throws IOException {
    long heap = (long) service.metric("jvm_memory_used_bytes{area=\"heap\"") >> 20;
    Path status = Path.of("/proc", "" + service.process().pid(), "status");
    String resident = "unknown";
    if (Files.exists(status)) {
      try (Stream<String> lines = Files.lines(status)) {
        resident =
            lines.filter(line -> line.startsWith("VmHWM")).findAny().orElse(resident).strip();
      }
    }
    return "heap " + heap + " MiB, " + resident.replaceAll("\\s+", " ");
  }

  boolean isAlive() {
    return service.process().isAlive();
  }

  @Override
  public void close() {
    service.close();
  }
}
