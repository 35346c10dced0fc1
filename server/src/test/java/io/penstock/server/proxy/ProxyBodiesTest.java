package io.penstock.server.proxy;

import static io.penstock.testing.Waiting.await;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.Setting;
import io.vertx.core.http.HttpServerRequest;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bodies of all kinds, in both directions. */
final class ProxyBodiesTest {
  private static final HttpClient CLIENT = HttpClient.newHttpClient();
  private static final String CLOSING = " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n";

  @TempDir private Path folder;

  @Test
  void range_isServedByTheOrigin() throws Exception {
    Path file = Files.writeString(folder.resolve("file.txt"), "0123456789");
    try (TestOrigin origin =
            new TestOrigin(
                request ->
                    request
                        .response()
                        .setStatusCode(206)
                        .putHeader("Content-Range", request.getHeader("Range") + "/10")
                        .sendFile(file.toString(), 2, 4));
        ProxyFixture proxy = new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url())) {
      HttpResponse<String> part =
          CLIENT.send(
              proxy.request("/file.txt").header("Range", "bytes=2-5").build(),
              HttpResponse.BodyHandlers.ofString());
      assertThat(part.statusCode()).isEqualTo(206);
      assertThat(part.body()).isEqualTo("2345");
      assertThat(part.headers().firstValue("Content-Range")).hasValue("bytes=2-5/10");
      assertThat(part.headers().firstValue("Content-Length")).hasValue("4");
    }
  }

  @Test
  void framing_ofARequest_isPreserved() throws Exception {
    try (TestOrigin origin = new TestOrigin(ProxyBodiesTest::tellFraming);
        ProxyFixture proxy = new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url())) {
      String post = "POST /a" + CLOSING;
      assertThat(proxy.raw(post + "Content-Length: 5\r\n\r\nhello")).endsWith("5 null hello");
      assertThat(
              proxy.raw(
                  post + "Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n"))
          .endsWith("null chunked hello");
      assertThat(proxy.raw(post + "Content-Length: 0\r\n\r\n")).contains(" 200 ");
      assertThat(proxy.raw("GET /a" + CLOSING + "\r\n")).endsWith("null null ");
    }
  }

  @Test
  void upgrade_ofARequestWithABody_isNotForwarded() throws Exception {
    try (TestOrigin origin =
            new TestOrigin(
                request ->
                    request
                        .body()
                        .onSuccess(
                            body ->
                                request
                                    .response()
                                    .end(request.getHeader("upgrade") + " " + body)));
        ProxyFixture proxy = new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url())) {
      String upgrade = "GET /a HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, close\r\nUpgrade: x\r\n";
      assertThat(proxy.raw(upgrade + "Content-Length: 5\r\n\r\nhello")).endsWith("null hello");
      assertThat(proxy.raw(upgrade + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"))
          .endsWith("null hello");
    }
  }

  private static void tellFraming(HttpServerRequest request) {
    request
        .body()
        .onSuccess(
            body ->
                request
                    .response()
                    .end(
                        request.getHeader("content-length")
                            + " "
                            + request.getHeader("transfer-encoding")
                            + " "
                            + body));
  }

  @Test
  void framing_ofAResponse_isPreservedOrBecomesChunked() throws Exception {
    String last = "\r\nConnection: close\r\n\r\n";
    try (RawOrigin origin =
            new RawOrigin(
                "HTTP/1.1 200 OK\r\nContent-Length: 5" + last + "hello",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked" + last + "5\r\nhello\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\n\r\nhello");
        ProxyFixture proxy = new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url())) {
      String get = "GET /a" + CLOSING + "\r\n";
      assertThat(proxy.raw(get))
          .containsIgnoringCase("content-length: 5")
          .endsWith("\r\n\r\nhello");
      for (int i = 0; i < 2; i++) {
        assertThat(proxy.raw(get))
            .containsIgnoringCase("transfer-encoding: chunked")
            .endsWith("5\r\nhello\r\n0\r\n\r\n");
      }
    }
  }

  @Test
  void foldedLine_ofAResponse_isForwardedUnfolded() throws Exception {
    try (RawOrigin origin =
            new RawOrigin(
                "HTTP/1.1 200 OK\r\nX-Long: a\r\n b\r\n\tSet-Cookie: c\r\nContent-Length: 0\r\n\r\n");
        ProxyFixture proxy = new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url())) {
      assertThat(proxy.raw("GET /a" + CLOSING + "\r\n"))
          .contains("X-Long: a b Set-Cookie: c\r\n")
          .doesNotContain("\n ", "\n\t", "\nSet-Cookie");
    }
  }

  @Test
  void earlyResponse_arrivesWhileTheBodyIsStillBeingSent() throws Exception {
    try (TestOrigin origin =
            new TestOrigin(request -> request.response().setStatusCode(413).end("too much"));
        ProxyFixture proxy = new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url());
        Socket socket = proxy.connect()) {
      OutputStream out = socket.getOutputStream();
      out.write(
          "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\n".getBytes(ISO_8859_1));
      out.write(new byte[1_000]);
      InputStream in = socket.getInputStream();
      assertThat(new String(in.readNBytes(12), ISO_8859_1)).isEqualTo("HTTP/1.1 413");
      assertThat(endsUpClosed(out)).isTrue();
    }
  }

  private static boolean endsUpClosed(OutputStream out) throws java.io.IOException {
    try {
      for (int i = 0; i < 10_000; i++) {
        out.write(new byte[10_000]);
      }
      return false;
    } catch (SocketException closed) {
      return true;
    }
  }

  @Test
  void webSocket_outlivesTheHeaderTimeout() throws Exception {
    try (TestOrigin origin =
            new TestOrigin(
                request ->
                    request
                        .toWebSocket()
                        .onSuccess(socket -> socket.textMessageHandler(socket::writeTextMessage)));
        ProxyFixture proxy =
            new ProxyFixture(
                folder,
                ProxyFixture.UNLIMITED,
                origin.url(),
                Map.of(Setting.REQUEST_TIMEOUT_MS, "1000"))) {
      Echo echo = new Echo();
      WebSocket socket =
          CLIENT
              .newWebSocketBuilder()
              .buildAsync(URI.create("ws://127.0.0.1:" + proxy.port() + "/chat"), echo)
              .join();
      long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(2_500);
      for (int i = 0; i < 10 || System.nanoTime() - end < 0; i++) {
        socket.sendText("message " + i, true).join();
        assertThat(echo.heard.poll(20, TimeUnit.SECONDS)).isEqualTo("message " + i);
      }
      assertThat(proxy.metric("penstock_proxy_in_flight")).isEqualTo(1);
      socket.abort();
      await().until(() -> proxy.metric("penstock_proxy_in_flight") == 0);
    }
  }

  private static final class Echo implements WebSocket.Listener {
    private final LinkedBlockingQueue<String> heard = new LinkedBlockingQueue<>();
    private final StringBuilder message = new StringBuilder();

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence text, boolean last) {
      message.append(text);
      if (last) {
        heard.add(message.toString());
        message.setLength(0);
      }
      from.request(1);
      return null;
    }
  }
}
