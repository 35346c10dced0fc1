package io.penstock.server.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.penstock.server.RunningServer;
import io.penstock.server.Setting;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;

/** A proxy in front of an origin. */
final class ProxyFixture implements AutoCloseable {
  static final String UNLIMITED =
      """
      rules:
        - name: all
          limit_keys: ["ip:address"]
          rate: 1000/s
          burst: 100000
      """;

  private static final int PATIENCE_MILLIS = 20_000;

  private final RunningServer server;

  ProxyFixture(Path folder, String policy, String upstream) {
    this(folder, policy, upstream, Map.of());
  }

  ProxyFixture(Path folder, String policy, String upstream, Map<Setting, String> more) {
    Map<Setting, String> flags = new EnumMap<>(Setting.class);
    flags.put(Setting.POLICY, RunningServer.write(folder, policy).toString());
    flags.put(Setting.UPSTREAM, upstream);
    flags.put(Setting.PROXY_HOST, "127.0.0.1");
    flags.put(Setting.PROXY_PORT, "0");
    flags.putAll(more);
    this.server = RunningServer.with(flags);
  }

  RunningServer server() {
    return server;
  }

  int port() {
    return server.server().proxyPort().orElseThrow();
  }

  HttpRequest.Builder request(String target) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + target))
        .version(HttpClient.Version.HTTP_1_1);
  }

  Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port());
    socket.setSoTimeout(PATIENCE_MILLIS);
    return socket;
  }

  /** Sends raw bytes, and returns everything that is received until the connection is closed. */
  String raw(String bytes) throws IOException {
    try (Socket socket = connect()) {
      socket.getOutputStream().write(bytes.getBytes(ISO_8859_1));
      socket.getOutputStream().flush();
      return RunningServer.rest(socket);
    }
  }

  /** Returns the value of a metric without labels; 0 if there is none. */
  double metric(String name) {
    return server
        .admin("/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
        .sum();
  }

  @Override
  public void close() {
    server.close();
  }
}
