package io.penstock.server.proxy;

import static io.penstock.server.proxy.Http2Frames.DATA;
import static io.penstock.server.proxy.Http2Frames.END_STREAM;
import static io.penstock.server.proxy.Http2Frames.HEADERS;
import static io.penstock.testing.Waiting.await;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.Setting;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** HTTP/2 origins that send frames in an order, or with a content, that HTTP does not allow. */
final class ProxyHttp2OriginFramesTest {
  private static final int TIMES = 40;
  private static final byte[] BODY = "surplus".getBytes(ISO_8859_1);

  @TempDir private Path folder;
  private ServerSocket origin;
  private ProxyFixture proxy;

  /** Responds to a request of the proxy. */
  private interface Response {
    void send(Http2Frames to, int stream) throws IOException;
  }

  @BeforeEach
  void start() throws IOException {
    origin = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    proxy =
        new ProxyFixture(
            folder,
            ProxyFixture.UNLIMITED,
            "http://127.0.0.1:" + origin.getLocalPort(),
            Map.of(Setting.UPSTREAM_HTTP2, "true"));
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

  @Test
  void headersWithoutStatus_badGateway() throws Exception {
    serve((to, stream) -> to.head(stream, true, "x-a", "b"));
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

  /** HTTP/1.1 origins may send headers of the same size. */
  @Test
  void largeHeaders_areForwarded() throws Exception {
    // A frame has at most 16 KiB.
    String value = "x".repeat(15_000);
    serve((to, stream) -> to.head(stream, true, ":status", "200", "x-a", value));
    assertThat(request("GET")).startsWith("HTTP/1.1 200").contains(value);
    nothingIsLeft();
  }

  /** The proxy opens one connection for the request, and none after it. */
  @Test
  void noStreamsAllowed_badGateway() throws Exception {
    AtomicInteger accepted = new AtomicInteger();
    start(
        () -> {
          while (true) {
            Socket socket = origin.accept();
            accepted.incrementAndGet();
            start(
                () -> {
                  try (Http2Frames frames =
                      Http2Frames.server(socket, new byte[] {0, 3, 0, 0, 0, 0})) {
                    frames.next(HEADERS);
                  }
                });
          }
        });
    assertThat(request("GET")).startsWith("HTTP/1.1 502");
    int after = accepted.get();
    // Vert.x checks for expired connections once a second.
    await().during(Duration.ofSeconds(2)).until(() -> accepted.get() == after);
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

  private void serve(Response response) {
    start(
        () -> {
          while (true) {
            Socket socket = origin.accept();
            start(() -> serve(socket, response));
          }
        });
  }

  private static void serve(Socket socket, Response response) throws IOException {
    try (Http2Frames frames = Http2Frames.server(socket)) {
      Http2Frames.Frame head = frames.next(HEADERS);
      while (head != null) {
        response.send(frames, head.stream());
        head = frames.next(HEADERS);
      }
    }
  }

  private interface Task {
    void run() throws IOException;
  }

  private static void start(Task task) {
    Thread thread =
        new Thread(
            () -> {
              try {
                task.run();
              } catch (IOException closed) {
                // Closed by the proxy, or at the end of the test.
              }
            },
            "http2-origin");
    thread.setDaemon(true);
    thread.start();
  }
}
