package io.penstock.server.proxy;

import static io.penstock.testing.Waiting.await;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.RunningServer;
import io.penstock.server.Setting;
import io.penstock.server.proxy.SocketOrigin.Connection;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** HTTP/2 origins that send no SETTINGS, or SETTINGS that allow no request. */
final class ProxyHttp2SettingsTest {
  private static final String GET = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
  private static final String LONG_MILLIS = "60000";
  private static final String SHORT_MILLIS = "300";
  private static final int TIMES = 5;
  private static final SocketOrigin.Http2Script OK =
      (to, stream) -> to.head(stream, true, ":status", "200");

  @TempDir private Path folder;
  private final LoggedWarnings warnings = LoggedWarnings.filtered();

  @AfterEach
  void stopListening() {
    warnings.close();
  }

  /** The origin sends nothing, or a part of the frame. */
  @ParameterizedTest
  @ValueSource(strings = {"", "\0\0\6\4\0"})
  void noSettings_gatewayTimeout(String sent) throws IOException {
    try (SocketOrigin origin =
            SocketOrigin.ofConnections(
                connection -> {
                  connection.send(sent);
                  connection.awaitClose();
                });
        ProxyFixture proxy = proxy(origin, connectTimeout(SHORT_MILLIS))) {
      for (int i = 0; i < TIMES; i++) {
        assertThat(proxy.raw(GET))
            .startsWith("HTTP/1.1 504")
            .contains("Connecting to the origin timed out");
      }
      await().until(() -> origin.accepted() == TIMES && origin.open() == 0);
      assertThat(proxy.metric("penstock_proxy_unavailable_total")).isZero();
      nothingIsLeft(proxy);
    }
    assertThat(warnings.messages())
        .singleElement()
        .asString()
        .contains("sent no HTTP/2 SETTINGS within 300 ms");
  }

  @Test
  void noSettings_overTls_gatewayTimeout() throws Exception {
    TestPki pki = new TestPki(folder).make("origin", "EC", "-ext", "san=ip:127.0.0.1");
    try (SSLServerSocket server =
            (SSLServerSocket)
                pki.client("origin")
                    .getServerSocketFactory()
                    .createServerSocket(0, 50, InetAddress.getLoopbackAddress());
        SocketOrigin origin = SocketOrigin.on(negotiatingHttp2(server), Connection::awaitClose);
        ProxyFixture proxy =
            proxy(
                "https://127.0.0.1:" + server.getLocalPort(),
                Map.of(
                    Setting.UPSTREAM_CA,
                    pki.certificate("origin", folder).toString(),
                    Setting.UPSTREAM_CONNECT_MS,
                    "1000",
                    Setting.UPSTREAM_QUEUE_MS,
                    LONG_MILLIS))) {
      assertThat(proxy.raw(GET))
          .startsWith("HTTP/1.1 504")
          .contains("Connecting to the origin timed out");
      await().until(() -> origin.accepted() == 1 && origin.open() == 0);
      nothingIsLeft(proxy);
    }
  }

  private static SSLServerSocket negotiatingHttp2(SSLServerSocket server) {
    SSLParameters parameters = server.getSSLParameters();
    parameters.setApplicationProtocols(new String[] {"h2"});
    server.setSSLParameters(parameters);
    return server;
  }

  /** The request gives up before the attempt to connect does. */
  @Test
  void noSettings_waitTimesOutFirst_gatewayTimeout() throws IOException {
    try (SocketOrigin origin = SocketOrigin.ofConnections(Connection::awaitClose);
        ProxyFixture proxy =
            proxy(
                origin,
                Map.of(
                    Setting.UPSTREAM_CONNECT_MS,
                    LONG_MILLIS,
                    Setting.UPSTREAM_QUEUE_MS,
                    SHORT_MILLIS))) {
      assertThat(proxy.raw(GET))
          .startsWith("HTTP/1.1 504")
          .contains("Connecting to the origin timed out");
      assertThat(proxy.metric("penstock_proxy_unavailable_total")).isZero();
      nothingIsLeft(proxy);
    }
  }

  /** Only the first connection gets no SETTINGS, and there is only one connection at a time. */
  @Test
  void noSettings_onOneConnection_theNextRequestsSucceed() throws IOException {
    try (SocketOrigin origin = hangsAtFirst();
        ProxyFixture proxy = proxy(origin, connectTimeout(SHORT_MILLIS))) {
      assertThat(proxy.raw(GET)).startsWith("HTTP/1.1 504");
      // More than one attempt only on a machine that pauses for longer than the timeout.
      await().until(() -> proxy.raw(GET).startsWith("HTTP/1.1 200"));
      for (int i = 0; i < TIMES; i++) {
        assertThat(proxy.raw(GET)).startsWith("HTTP/1.1 200");
      }
      nothingIsLeft(proxy);
    }
  }

  @Test
  void noSettings_onOneConnection_waitingRequestsSucceed() throws IOException {
    try (SocketOrigin origin = hangsAtFirst();
        ProxyFixture proxy =
            proxy(
                origin,
                Map.of(
                    Setting.UPSTREAM_CONNECT_MS, "3000", Setting.UPSTREAM_QUEUE_MS, LONG_MILLIS));
        Socket first = proxy.connect();
        Socket second = proxy.connect()) {
      first.getOutputStream().write(GET.getBytes(ISO_8859_1));
      await().until(() -> origin.accepted() == 1);
      second.getOutputStream().write(GET.getBytes(ISO_8859_1));
      assertThat(RunningServer.rest(first)).startsWith("HTTP/1.1 504");
      assertThat(RunningServer.rest(second)).startsWith("HTTP/1.1 200");
      nothingIsLeft(proxy);
    }
  }

  /** SETTINGS_MAX_HEADER_LIST_SIZE is smaller than the headers of any request. */
  @ParameterizedTest
  @ValueSource(bytes = {1, 16})
  void maxHeaderListSizeTooSmall_badGateway(byte size) throws IOException {
    try (SocketOrigin origin = SocketOrigin.http2(OK, new byte[] {0, 6, 0, 0, 0, size});
        ProxyFixture proxy = proxy(origin, Map.of())) {
      for (int i = 0; i < TIMES; i++) {
        assertThat(proxy.raw(GET)).startsWith("HTTP/1.1 502");
      }
      // A request that was not sent does not affect the connection.
      assertThat(origin.accepted()).isEqualTo(1);
      nothingIsLeft(proxy);
    }
    assertThat(warnings.messages())
        .singleElement()
        .asString()
        .contains("SETTINGS_MAX_HEADER_LIST_SIZE")
        .contains("(" + size + ")");
  }

  /** The origin's own errors in single streams are logged like those of HTTP/1.1 origins. */
  @Test
  void invalidResponse_isLoggedOnce() throws IOException {
    try (SocketOrigin origin =
            SocketOrigin.http2((to, stream) -> to.head(stream, true, ":status", "2000"));
        ProxyFixture proxy = proxy(origin, Map.of())) {
      for (int i = 0; i < TIMES; i++) {
        assertThat(proxy.raw(GET)).startsWith("HTTP/1.1 502");
      }
      nothingIsLeft(proxy);
    }
    assertThat(warnings.messages())
        .singleElement()
        .asString()
        .contains("Invalid response from the origin")
        .contains("status must be from 100 to 999: 2000");
  }

  /** The proxy opens one connection for the request, and none after it. */
  @Test
  void noStreamsAllowed_badGateway() throws IOException {
    try (SocketOrigin origin = SocketOrigin.http2(OK, new byte[] {0, 3, 0, 0, 0, 0});
        ProxyFixture proxy = proxy(origin, Map.of())) {
      assertThat(proxy.raw(GET)).startsWith("HTTP/1.1 502");
      int after = origin.accepted();
      // Vert.x checks for expired connections once a second.
      await().during(Duration.ofSeconds(2)).until(() -> origin.accepted() == after);
      nothingIsLeft(proxy);
    }
  }

  private static SocketOrigin hangsAtFirst() throws IOException {
    return SocketOrigin.ofConnections(
        connection -> {
          if (connection.number() == 1) {
            connection.awaitClose();
          } else {
            connection.serveHttp2(OK);
          }
        });
  }

  private static Map<Setting, String> connectTimeout(String millis) {
    return Map.of(Setting.UPSTREAM_CONNECT_MS, millis, Setting.UPSTREAM_QUEUE_MS, LONG_MILLIS);
  }

  /** Uses one connection at a time, so that one that is not released blocks all requests. */
  private ProxyFixture proxy(SocketOrigin origin, Map<Setting, String> more) {
    return proxy(origin.url(), more);
  }

  private ProxyFixture proxy(String url, Map<Setting, String> more) {
    Map<Setting, String> settings = new EnumMap<>(Setting.class);
    settings.put(Setting.UPSTREAM_HTTP2, "true");
    settings.put(Setting.UPSTREAM_CONNECTIONS, "1");
    settings.putAll(more);
    return new ProxyFixture(folder, ProxyFixture.UNLIMITED, url, settings);
  }

  private static void nothingIsLeft(ProxyFixture proxy) {
    await().until(() -> proxy.metric("penstock_proxy_in_flight") == 0);
    assertThat(proxy.server().admin("/metrics").body())
        .contains("penstock_requests_failed_total{listener=\"proxy\"} 0.0");
  }
}
