package io.penstock.server.hostile;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.penstock.NanoClock;
import io.penstock.server.RunningServer;
import io.penstock.server.Setting;
import io.penstock.server.proxy.Http2Frames;
import io.penstock.server.proxy.TestOrigin;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/** A server with all its listeners, in front of an origin that responds to everything. */
final class Listeners implements AutoCloseable {
  /**
   * Shorter than the idle timeout of connections: one that is only closed by that timeout counts as
   * hanging.
   */
  static final int PATIENCE_MILLIS = 30_000;

  private static final String POLICY =
      """
      rules:
        - name: all
          limit_keys: ["ip:address"]
          rate: 1000000/s
          burst: 100000000
      """;
  private static final String LIMITS =
      """
      domain: shop
      descriptors:
        - {key: user, rate_limit: {unit: second, requests_per_unit: 1000000}}
      """;

  private final TestOrigin origin =
      new TestOrigin(
          request -> {
            request.handler(part -> {});
            request.endHandler(all -> request.response().end("read"));
          });
  private final RunningServer server;

  /** The listeners. */
  enum Listener {
    DECISION,
    PROXY,
    ADMIN,
    ENVOY
  }

  Listeners(Path folder, Map<Setting, String> more) {
    this(folder, more, NanoClock.system());
  }

  /**
   * @param clock the clock of the buckets
   */
  Listeners(Path folder, Map<Setting, String> more, NanoClock clock) {
    Map<Setting, String> flags = new EnumMap<>(Setting.class);
    flags.put(Setting.POLICY, RunningServer.write(folder, POLICY).toString());
    flags.put(Setting.UPSTREAM, origin.url());
    flags.put(Setting.PROXY_HOST, "127.0.0.1");
    flags.put(Setting.PROXY_PORT, "0");
    flags.put(Setting.ADMIN_HOSTS, "a");
    flags.put(Setting.ENVOY, write(folder.resolve("envoy.yaml"), LIMITS).toString());
    flags.put(Setting.ENVOY_HOST, "127.0.0.1");
    flags.put(Setting.ENVOY_PORT, "0");
    flags.putAll(more);
    this.server = RunningServer.with(flags, clock);
  }

  private static Path write(Path file, String content) {
    try {
      return Files.writeString(file, content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  RunningServer server() {
    return server;
  }

  int port(Listener listener) {
    return switch (listener) {
      case DECISION -> server.server().port();
      case PROXY -> server.server().proxyPort().orElseThrow();
      case ADMIN -> server.server().adminPort();
      case ENVOY -> server.server().envoyPort().orElseThrow();
    };
  }

  Socket connect(Listener listener) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port(listener));
    socket.setSoTimeout(PATIENCE_MILLIS);
    return socket;
  }

  Http2Frames connectHttp2(Listener listener) throws IOException {
    return new Http2Frames(connect(listener));
  }

  /** Sends raw bytes, and returns everything that is received until the connection is closed. */
  String raw(Listener listener, String bytes) throws IOException {
    try (Socket socket = connect(listener)) {
      socket.getOutputStream().write(bytes.getBytes(ISO_8859_1));
      socket.getOutputStream().flush();
      return RunningServer.rest(socket);
    }
  }

  /** Returns the number of failed requests of a listener, from its metric. */
  double failed(Listener listener) {
    String name =
        "penstock_requests_failed_total{listener=\""
            + listener.name().toLowerCase(Locale.ROOT)
            + "\"} ";
    return server
        .admin("/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith(name))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length())))
        .sum();
  }

  @Override
  public void close() {
    server.close();
    origin.close();
  }
}
