package io.penstock.server.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.Setting;
import io.penstock.server.proxy.Http2Frames.Frame;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The GOAWAY frames of connections that violate HTTP/2 contain an error code but no text. */
final class GoAwayTextTest {
  /** The last stream and the error code. */
  private static final int BYTES_WITHOUT_TEXT = 8;

  private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
  private static final String SETTINGS = "\0\0\0\4\0\0\0\0\0";
  private static final String GARBAGE = "garbage that is no frame of HTTP/2, but long enough";

  /** A PING of one byte. */
  private static final String INVALID_FRAME = "\0\0\1\6\0\0\0\0\0x";

  private static final String UPGRADE =
      String.join(
          "\r\n",
          "GET / HTTP/1.1",
          "Host: a",
          "Connection: Upgrade, HTTP2-Settings",
          "Upgrade: h2c",
          "HTTP2-Settings: AAMAAABk",
          "",
          "");

  @TempDir private Path folder;
  private TestOrigin origin;

  @BeforeEach
  void startOrigin() {
    origin = new TestOrigin(request -> request.response().end("ok"));
  }

  @AfterEach
  void stopOrigin() {
    origin.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        PREFACE + GARBAGE,
        PREFACE + INVALID_FRAME,
        PREFACE + SETTINGS + GARBAGE,
        PREFACE + SETTINGS + INVALID_FRAME
      })
  void priorKnowledge_thenGarbage_hasNoText(String sent) throws IOException {
    try (ProxyFixture proxy = proxy(Map.of())) {
      hasNoText(proxy.connect(), sent);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        GARBAGE,
        PREFACE + GARBAGE,
        PREFACE + SETTINGS + GARBAGE,
        PREFACE + SETTINGS + INVALID_FRAME
      })
  void upgrade_thenGarbage_hasNoText(String sent) throws IOException {
    try (ProxyFixture proxy = proxy(Map.of());
        Socket client = proxy.connect()) {
      client.getOutputStream().write(UPGRADE.getBytes(ISO_8859_1));
      assertThat(SocketOrigin.head(client)).startsWith("HTTP/1.1 101");
      hasNoText(client, sent);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {GARBAGE, PREFACE + GARBAGE, PREFACE + SETTINGS + GARBAGE, PREFACE + INVALID_FRAME})
  void tls_thenGarbage_hasNoText(String sent) throws Exception {
    TestPki pki = new TestPki(folder).make("own", "EC", "-ext", "san=ip:127.0.0.1");
    Map<Setting, String> settings = new EnumMap<>(Setting.class);
    settings.put(Setting.PROXY_TLS_CERT, pki.certificate("own", folder).toString());
    settings.put(Setting.PROXY_TLS_KEY, pki.key("own", folder).toString());
    try (ProxyFixture proxy = proxy(settings);
        SSLSocket client =
            (SSLSocket)
                pki.client()
                    .getSocketFactory()
                    .createSocket(InetAddress.getLoopbackAddress(), proxy.port())) {
      client.setSoTimeout(20_000);
      SSLParameters parameters = client.getSSLParameters();
      parameters.setApplicationProtocols(new String[] {"h2"});
      client.setSSLParameters(parameters);
      hasNoText(client, sent);
    }
  }

  @Test
  void origin_thatSendsGarbage_getsNoText() throws Exception {
    CompletableFuture<Integer> length = new CompletableFuture<>();
    try (SocketOrigin garbage =
            SocketOrigin.http2(
                (to, stream) -> {
                  to.socket().getOutputStream().write(INVALID_FRAME.getBytes(ISO_8859_1));
                  length.complete(length(to.next(Http2Frames.GO_AWAY)));
                });
        ProxyFixture proxy =
            new ProxyFixture(
                folder,
                ProxyFixture.UNLIMITED,
                garbage.url(),
                Map.of(Setting.UPSTREAM_HTTP2, "true"))) {
      assertThat(proxy.raw("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"))
          .startsWith("HTTP/1.1 502");
      assertThat(length.get(20, TimeUnit.SECONDS)).isEqualTo(BYTES_WITHOUT_TEXT);
    }
  }

  private static int length(Frame goAway) {
    return goAway == null ? -1 : goAway.payload().capacity();
  }

  private static void hasNoText(Socket client, String sent) throws IOException {
    try (Http2Frames frames = Http2Frames.raw(client)) {
      client.getOutputStream().write(sent.getBytes(ISO_8859_1));
      client.getOutputStream().flush();
      Frame end = frames.next(Http2Frames.GO_AWAY);
      assertThat(end).isNotNull();
      assertThat(length(end))
          .as("%s", ISO_8859_1.decode(end.payload()))
          .isEqualTo(BYTES_WITHOUT_TEXT);
      assertThat(end.number(4)).as("the error code").isNotZero();
    }
  }

  private ProxyFixture proxy(Map<Setting, String> settings) {
    return new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url(), settings);
  }
}
