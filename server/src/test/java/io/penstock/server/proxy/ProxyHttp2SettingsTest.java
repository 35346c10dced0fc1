package io.penstock.server.proxy;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.Setting;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** HTTP/2 origins whose SETTINGS allow no request, or whose responses are invalid. */
final class ProxyHttp2SettingsTest {
  private static final String GET = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
  private static final int TIMES = 5;
  private static final SocketOrigin.Http2Script OK =
      (to, stream) -> to.head(stream, true, ":status", "200");

  @TempDir private Path folder;
  private final LoggedWarnings warnings = LoggedWarnings.filtered();

  @AfterEach
  void stopListening() {
    warnings.close();
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

  /** Uses one connection at a time, so that one that is not released blocks all requests. */
  private ProxyFixture proxy(SocketOrigin origin, Map<Setting, String> more) {
    Map<Setting, String> settings = new EnumMap<>(Setting.class);
    settings.put(Setting.UPSTREAM_HTTP2, "true");
    settings.put(Setting.UPSTREAM_CONNECTIONS, "1");
    settings.putAll(more);
    return new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url(), settings);
  }

  private static void nothingIsLeft(ProxyFixture proxy) {
    await().until(() -> proxy.metric("penstock_proxy_in_flight") == 0);
    assertThat(proxy.server().admin("/metrics").body())
        .contains("penstock_requests_failed_total{listener=\"proxy\"} 0.0");
  }
}
