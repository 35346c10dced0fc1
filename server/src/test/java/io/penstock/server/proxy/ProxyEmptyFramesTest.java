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
import org.junit.jupiter.params.provider.ValueSource;

/** HTTP/2 origins that send empty DATA frames. */
final class ProxyEmptyFramesTest {
  private static final String GET = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
  private static final byte[] EMPTY = {};
  private static final byte[] HELLO = "hello".getBytes(ISO_8859_1);
  private static final int TIMES = 5;
  private static final int FLOOD = 1_001;

  @TempDir private Path folder;
  private final LoggedWarnings warnings = LoggedWarnings.filtered();

  @AfterEach
  void stopListening() {
    warnings.close();
  }

  /** The frames arrive before, between and after the parts of the body. */
  @ParameterizedTest
  @ValueSource(ints = {1, 3, 500})
  void emptyFrames_allArrive_theResponseIsComplete(int count) throws IOException {
    try (SocketOrigin origin =
            SocketOrigin.http2(
                (to, stream) -> {
                  to.head(stream, false, ":status", "200");
                  for (int part = 0; part < 2; part++) {
                    writeEmpty(to, stream, count);
                    to.write(DATA, 0, stream, HELLO);
                  }
                  writeEmpty(to, stream, count);
                  to.write(DATA, END_STREAM, stream, EMPTY);
                });
        ProxyFixture proxy = proxy(origin)) {
      for (int i = 0; i < TIMES; i++) {
        assertThat(proxy.raw(GET)).startsWith("HTTP/1.1 200").endsWith("hello\r\n0\r\n\r\n");
      }
      assertThat(origin.accepted()).isEqualTo(1);
    }
    assertThat(warnings.messages()).isEmpty();
  }

  @Test
  void emptyFrames_flood_closesTheConnectionAndIsLogged() throws IOException {
    try (SocketOrigin origin =
            SocketOrigin.ofConnections(
                connection ->
                    connection.serveHttp2(
                        (to, stream) -> {
                          to.head(stream, false, ":status", "200");
                          writeEmpty(to, stream, connection.number() == 1 ? FLOOD : 0);
                          to.write(DATA, END_STREAM, stream, HELLO);
                        }));
        ProxyFixture proxy = proxy(origin)) {
      String aborted = proxy.raw(GET);
      assertThat(aborted).matches("(?s)HTTP/1\\.1 (200|502) .*").doesNotContain("hello");
      // More than one attempt if a request gets the connection before it is closed.
      await().until(() -> proxy.raw(GET).endsWith("hello\r\n0\r\n\r\n"));
      assertThat(origin.accepted()).isEqualTo(2);
      await().until(() -> proxy.metric("penstock_proxy_in_flight") == 0);
    }
    assertThat(warnings.messages())
        .singleElement()
        .asString()
        .contains("Invalid response from the origin")
        .contains("more than 1000 empty DATA frames in a row");
  }

  private static void writeEmpty(Http2Frames to, int stream, int count) throws IOException {
    for (int i = 0; i < count; i++) {
      to.write(DATA, 0, stream, EMPTY);
    }
  }

  private ProxyFixture proxy(SocketOrigin origin) {
    return new ProxyFixture(
        folder,
        ProxyFixture.UNLIMITED,
        origin.url(),
        Map.of(Setting.UPSTREAM_HTTP2, "true", Setting.UPSTREAM_CONNECTIONS, "1"));
  }
}
