package io.penstock.server.proxy;

import static io.penstock.server.proxy.Http2Frames.DATA;
import static io.penstock.server.proxy.Http2Frames.END_STREAM;
import static io.penstock.testing.Waiting.await;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.Setting;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** HTTP/2 origins that send frames in an order, or with a content, that HTTP does not allow. */
final class ProxyHttp2OriginFramesTest {
  private static final int TIMES = 40;
  private static final byte[] BODY = "surplus".getBytes(ISO_8859_1);

  @TempDir private Path folder;
  private SocketOrigin origin;
  private ProxyFixture proxy;

  private void serve(SocketOrigin.Http2Script script) throws IOException {
    origin = SocketOrigin.http2(script);
    proxy =
        new ProxyFixture(
            folder, ProxyFixture.UNLIMITED, origin.url(), Map.of(Setting.UPSTREAM_HTTP2, "true"));
  }

  @AfterEach
  void stop() throws IOException {
    proxy.close();
    origin.close();
  }

  @Test
  void dataBeforeHeaders_badGateway() throws Exception {
    serve((to, stream) -> to.write(DATA, END_STREAM, stream, BODY));
    for (int i = 0; i < TIMES; i++) {
      assertThat(request("GET")).startsWith("HTTP/1.1 502");
    }
    nothingIsLeft();
  }

  @Test
  void dataAfterInterimResponse_badGateway() throws Exception {
    serve(
        (to, stream) -> {
          to.head(stream, false, ":status", "103");
          to.write(DATA, 0, stream, BODY);
          to.head(stream, true, ":status", "200");
        });
    assertThat(request("GET")).contains("HTTP/1.1 502");
    nothingIsLeft();
  }

  @ParameterizedTest
  @ValueSource(strings = {"102", "103", "199"})
  void informational_thenTheFinalResponse_bothAreForwarded(String status) throws Exception {
    serve(
        (to, stream) -> {
          to.head(stream, false, ":status", status, "x-a", "b");
          to.head(stream, false, ":status", "200", "content-length", "" + BODY.length);
          to.write(DATA, END_STREAM, stream, BODY);
        });
    for (int i = 0; i < TIMES; i++) {
      assertThat(request("GET"))
          .matches(
              "(?s)HTTP/1\\.1 "
                  + status
                  + " [^\r]*\r\n(?i:x-a): b\r\n\r\nHTTP/1\\.1 200 OK\r\n.*\r\n\r\nsurplus");
    }
    assertThat(origin.accepted()).isEqualTo(1);
    nothingIsLeft();
  }

  /** HTTP/2 has no upgrades. */
  @Test
  void switchingProtocols_badGateway() throws Exception {
    serve(
        (to, stream) -> {
          to.head(stream, false, ":status", "101");
          to.head(stream, true, ":status", "200");
        });
    for (int i = 0; i < TIMES; i++) {
      assertThat(request("GET")).startsWith("HTTP/1.1 502");
    }
    nothingIsLeft();
  }

  @Test
  void headersWithoutStatus_badGateway() throws Exception {
    serve((to, stream) -> to.head(stream, true, "x-a", "b"));
    assertThat(request("GET")).startsWith("HTTP/1.1 502");
    nothingIsLeft();
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "99", "099", "1000", "99999", "+20", "2xx", ""})
  void statusOutOfRange_badGateway(String status) throws Exception {
    serve((to, stream) -> to.head(stream, true, ":status", status));
    assertThat(request("GET")).startsWith("HTTP/1.1 502");
    nothingIsLeft();
  }

  @ParameterizedTest
  @CsvSource({"GET, 204", "GET, 304", "HEAD, 200", "HEAD, 404"})
  void dataWithAResponseThatHasNone_isDiscarded(String method, String status) throws Exception {
    serve(
        (to, stream) -> {
          to.head(stream, false, ":status", status);
          to.write(DATA, 0, stream, BODY);
          to.write(DATA, END_STREAM, stream, BODY);
        });
    for (int i = 0; i < TIMES; i++) {
      assertThat(request(method)).startsWith("HTTP/1.1 " + status).endsWith("\r\n\r\n");
    }
    nothingIsLeft();
    await().until(() -> proxy.metric("penstock_proxy_surplus_total") == TIMES);
  }

  /** On a kept connection, a client would take the next response for the body. */
  @ParameterizedTest
  @ValueSource(strings = {"head", "data", "trailer"})
  void contentLengthWithoutABody_badGateway(String end) throws Exception {
    serve(
        (to, stream) -> {
          to.head(stream, end.equals("head"), ":status", "200", "content-length", "7");
          if (end.equals("data")) {
            to.write(DATA, END_STREAM, stream, new byte[0]);
          } else if (end.equals("trailer")) {
            to.head(stream, true, "x-a", "b");
          }
        });
    String get = "GET / HTTP/1.1\r\nHost: a\r\n";
    for (int i = 0; i < TIMES; i++) {
      String both = proxy.raw(get + "\r\n" + get + "Connection: close\r\n\r\n");
      // If the head was forwarded before the stream ended, the response is aborted.
      assertThat(both).matches("(?s)(HTTP/1\\.1 502 .*)*(HTTP/1\\.1 200 (?!.*HTTP/1).*\r\n\r\n)?");
    }
    assertThat(origin.accepted()).isEqualTo(1);
    nothingIsLeft();
  }

  @ParameterizedTest
  @CsvSource({"HEAD, 200, 7", "GET, 304, 7", "GET, 200, 0"})
  void contentLengthOfAResponseThatHasNoBody_isForwarded(
      String method, String status, String length) throws Exception {
    serve((to, stream) -> to.head(stream, true, ":status", status, "content-length", length));
    assertThat(request(method)).startsWith("HTTP/1.1 " + status).endsWith("\r\n\r\n");
    nothingIsLeft();
  }

  /** HTTP/1.1 origins may send headers of the same size. */
  @Test
  void largeHeaders_areForwarded() throws Exception {
    // A frame has at most 16 KiB.
    String value = "x".repeat(15_000);
    serve((to, stream) -> to.head(stream, true, ":status", "200", "x-a", value));
    assertThat(request("GET")).startsWith("HTTP/1.1 200").contains(value);
    nothingIsLeft();
  }

  private String request(String method) throws IOException {
    return proxy.raw(method + " / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  }

  private void nothingIsLeft() {
    await().until(() -> proxy.metric("penstock_proxy_in_flight") == 0);
    assertThat(proxy.server().admin("/metrics").body())
        .contains("penstock_requests_failed_total{listener=\"proxy\"} 0.0");
  }
}
