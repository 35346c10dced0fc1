package io.penstock.server.proxy;

import static io.penstock.server.proxy.Http2Frames.DATA;
import static io.penstock.server.proxy.Http2Frames.END_STREAM;
import static io.penstock.server.proxy.Http2Frames.HEADERS;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.RunningServer;
import io.penstock.server.Setting;
import io.penstock.server.proxy.Http2Frames.Frame;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Heads of requests and responses are forwarded as soon as they arrive, because the peer may wait
 * for them before it sends its body.
 */
final class ProxyHeadsTest {
  private static final int PATIENCE_MILLIS = 20_000;
  private static final String POST = "POST /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n";

  @TempDir private Path folder;
  private ServerSocket origin;

  @BeforeEach
  void start() throws IOException {
    origin = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    origin.setSoTimeout(PATIENCE_MILLIS);
  }

  @AfterEach
  void stop() throws IOException {
    origin.close();
  }

  @ParameterizedTest
  @CsvSource({
    "1.1, Content-Length: 2, ok",
    "1.1, Transfer-Encoding: chunked, 2--ok--0----",
    "1.1, Content-Type: text/plain, ok",
    "1.0, Content-Length: 2, ok",
    "1.0, Content-Type: text/plain, ok"
  })
  void responseHead_withoutBody_isForwarded(String version, String header, String body)
      throws IOException {
    try (ProxyFixture proxy = proxy(false);
        Socket client = proxy.connect()) {
      send(client, "GET / HTTP/" + version + "\r\nHost: a\r\nConnection: close\r\n\r\n");
      try (Socket socket = accept()) {
        RawOrigin.readHead(socket);
        send(socket, "HTTP/1.1 200 OK\r\nConnection: close\r\n" + header + "\r\n\r\n");
        assertThat(SocketOrigin.head(client)).startsWith("HTTP/" + version + " 200");
        send(socket, body.replace("--", "\r\n"));
      }
      assertThat(RunningServer.rest(client)).contains("ok");
    }
  }

  @Test
  void responseHead_withoutBody_isForwardedToHttp2Client() throws IOException {
    try (ProxyFixture proxy = proxy(false);
        Http2Frames client = new Http2Frames(proxy.connect())) {
      client.get(1, true);
      try (Socket socket = accept()) {
        RawOrigin.readHead(socket);
        send(socket, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n");
        assertThat(client.status(next(client, HEADERS))).isEqualTo(200);
        send(socket, "ok");
        assertThat(next(client, DATA).payload().remaining()).isEqualTo(2);
      }
    }
  }

  /** A length would describe the copy in the client's cache. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "304 Not Modified\r\nTransfer-Encoding: chunked",
        "304 Not Modified\r\nETag: a",
        "304 Unchanged\r\nETag: a"
      })
  void notModified_withoutLength_getsNone(String head) throws IOException {
    try (ProxyFixture proxy = proxy(false);
        Socket client = proxy.connect()) {
      send(client, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
      try (Socket socket = accept()) {
        RawOrigin.readHead(socket);
        send(socket, "HTTP/1.1 " + head + "\r\n\r\n");
        assertThat(SocketOrigin.head(client).toLowerCase(Locale.ROOT))
            .startsWith("http/1.1 304 not modified")
            .doesNotContain("content-length", "transfer-encoding");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"200", "204", "304"})
  void responseHead_ofHttp2Origin_isForwarded(String status) throws IOException {
    try (ProxyFixture proxy = proxy(true);
        Socket client = proxy.connect()) {
      send(client, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
      try (Http2Frames socket = Http2Frames.server(accept())) {
        Frame head = next(socket, HEADERS);
        socket.head(head.stream(), false, ":status", status);
        assertThat(SocketOrigin.head(client)).startsWith("HTTP/1.1 " + status);
        socket.write(DATA, END_STREAM, head.stream(), new byte[0]);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"Content-Length: 2", "Transfer-Encoding: chunked"})
  void requestHead_withoutBody_isForwarded(String framing) throws IOException {
    try (ProxyFixture proxy = proxy(false);
        Socket client = proxy.connect()) {
      send(client, POST + framing + "\r\n\r\n");
      try (Socket socket = accept()) {
        assertThat(SocketOrigin.head(socket)).startsWith("POST /a");
        send(socket, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n");
        assertThat(SocketOrigin.head(client)).startsWith("HTTP/1.1 200");
        boolean chunked = framing.endsWith("chunked");
        String body = chunked ? "2\r\nhi\r\n0\r\n\r\n" : "hi";
        send(client, body);
        assertThat(new String(socket.getInputStream().readNBytes(body.length()), ISO_8859_1))
            .isEqualTo(body);
        send(socket, "ok");
      }
      assertThat(RunningServer.rest(client)).isEqualTo("ok");
    }
  }

  /** A client of a bidirectional gRPC stream may wait for the headers of the response. */
  @Test
  void heads_ofHttp2Streams_areForwarded() throws IOException {
    try (ProxyFixture proxy = proxy(true);
        Http2Frames client = new Http2Frames(proxy.connect())) {
      client.get(1, false);
      try (Http2Frames socket = Http2Frames.server(accept())) {
        Frame head = next(socket, HEADERS);
        assertThat(head.flags() & END_STREAM).isZero();
        socket.head(head.stream(), false, ":status", "200");
        assertThat(client.status(next(client, HEADERS))).isEqualTo(200);
        client.write(DATA, END_STREAM, 1, "hi".getBytes(ISO_8859_1));
        assertThat(next(socket, DATA).payload().remaining()).isEqualTo(2);
        socket.write(DATA, END_STREAM, head.stream(), "ok".getBytes(ISO_8859_1));
        assertThat(next(client, DATA).payload().remaining()).isEqualTo(2);
      }
    }
  }

  /** An upload that takes longer than the timeout for the response. */
  @Test
  void upload_withProgress_isNotTimedOut() throws Exception {
    try (ProxyFixture proxy =
            new ProxyFixture(
                folder,
                ProxyFixture.UNLIMITED,
                url(),
                Map.of(Setting.UPSTREAM_FIRST_BYTE_MS, "1000"));
        Socket client = proxy.connect()) {
      send(client, POST + "Transfer-Encoding: chunked\r\n\r\n");
      try (Socket socket = accept()) {
        RawOrigin.readHead(socket);
        long end = System.nanoTime() + 2_500_000_000L;
        while (System.nanoTime() - end < 0) {
          send(client, "1\r\nx\r\n");
          socket.getInputStream().readNBytes("1\r\nx\r\n".length());
        }
        send(client, "0\r\n\r\n");
        send(socket, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
      }
      assertThat(RunningServer.rest(client)).startsWith("HTTP/1.1 200").endsWith("ok");
    }
  }

  @Test
  void upload_complete_noResponse_isTimedOut() throws Exception {
    try (ProxyFixture proxy =
            new ProxyFixture(
                folder,
                ProxyFixture.UNLIMITED,
                url(),
                Map.of(Setting.UPSTREAM_FIRST_BYTE_MS, "300"));
        Socket client = proxy.connect()) {
      send(client, POST + "Content-Length: 2\r\n\r\nhi");
      try (Socket socket = accept()) {
        assertThat(RunningServer.rest(client)).startsWith("HTTP/1.1 504");
        assertThat(RunningServer.rest(socket)).endsWith("hi");
      }
    }
  }

  /** A client must not occupy a connection to the origin by sending its body slowly. */
  @Test
  void upload_belowTheMinRate_isTimedOut() throws Exception {
    try (ProxyFixture proxy =
            new ProxyFixture(
                folder, ProxyFixture.UNLIMITED, url(), Map.of(Setting.CLIENT_STALL_MS, "500"));
        Socket client = proxy.connect()) {
      send(client, POST + "Content-Length: 1000\r\n\r\nhalf");
      try (Socket socket = accept()) {
        assertThat(RunningServer.rest(client))
            .startsWith("HTTP/1.1 408")
            .contains("application/problem+json");
        assertThat(RunningServer.rest(socket)).endsWith("half");
      }
      assertThat(proxy.metric("penstock_proxy_slow_clients_total")).isEqualTo(1);
    }
  }

  private ProxyFixture proxy(boolean http2) {
    return new ProxyFixture(
        folder,
        ProxyFixture.UNLIMITED,
        url(),
        Map.of(Setting.UPSTREAM_HTTP2, Boolean.toString(http2)));
  }

  private String url() {
    return "http://127.0.0.1:" + origin.getLocalPort();
  }

  private Socket accept() throws IOException {
    Socket socket = origin.accept();
    socket.setSoTimeout(PATIENCE_MILLIS);
    return socket;
  }

  private static Frame next(Http2Frames frames, int type) throws IOException {
    Frame frame = frames.next(type);
    assertThat(frame).isNotNull();
    return frame;
  }

  private static void send(Socket to, String bytes) throws IOException {
    to.getOutputStream().write(bytes.getBytes(ISO_8859_1));
  }
}
