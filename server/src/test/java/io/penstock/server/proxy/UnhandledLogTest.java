package io.penstock.server.proxy;

import static io.penstock.testing.Waiting.await;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.RunningServer;
import io.penstock.server.Setting;
import io.penstock.server.SettingsReader;
import io.penstock.server.http.Connections;
import io.penstock.server.http.FailedRequests;
import io.penstock.server.http.GuardedTransport;
import io.penstock.server.http.HttpListener;
import io.penstock.server.log.AccessFormat;
import io.penstock.server.log.AccessLog;
import io.penstock.server.log.AccessLog.Destination;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The access log entries of requests that get a response before they reach the proxy. */
final class UnhandledLogTest {
  private static final String GOOD = "GET /good HTTP/1.1\r\nHost: a\r\n\r\n";
  private static final String LONG = "a".repeat(9_000);
  private static final String UPGRADE =
      String.join(
          "\r\n",
          "GET /good HTTP/1.1",
          "Host: a",
          "Connection: Upgrade, HTTP2-Settings",
          "Upgrade: h2c",
          "HTTP2-Settings: AAMAAABk",
          "",
          "");

  @TempDir private Path folder;
  private Path log;
  private TestOrigin origin;
  private ProxyFixture proxy;

  @BeforeEach
  void start() {
    log = folder.resolve("access.log");
    origin = new TestOrigin(request -> request.response().end("ok"));
    proxy =
        new ProxyFixture(
            folder,
            ProxyFixture.UNLIMITED,
            origin.url(),
            Map.of(
                Setting.ACCESS_LOG,
                "combined",
                Setting.ACCESS_LOG_FILE,
                log.toString(),
                Setting.REQUEST_TIMEOUT_MS,
                "3000"));
  }

  @AfterEach
  void stop() {
    proxy.close();
    origin.close();
  }

  static List<Arguments> requests() {
    String post = "POST /post HTTP/1.1\r\nHost: a\r\n";
    String both = "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n";
    return List.of(
        Arguments.of("GET /" + LONG + " HTTP/1.1\r\nHost: a\r\n\r\n", "\"- - -\" 414 "),
        Arguments.of("nonsense\r\n\r\n", "\"- - -\" 400 "),
        Arguments.of(
            "GET /large HTTP/1.1\r\nA: " + LONG + "\r\nB: " + LONG + "\r\n\r\n",
            "\"GET /large HTTP/1.1\" 431 "),
        Arguments.of(post + both + "\r\n0\r\n\r\n", "\"POST /post HTTP/1.1\" 400 "),
        Arguments.of(post + "A: b\r\n c\r\n\r\n", "\"POST /post HTTP/1.1\" 400 "),
        Arguments.of(post + "Content-Length: x\r\n\r\n", "\"POST /post HTTP/1.1\" 400 "),
        Arguments.of("GET /host HTTP/1.1\r\nHost: a%20b\r\n\r\n", "\"GET /host HTTP/1.1\" 400 "),
        Arguments.of("GET /\" HTTP/1.1\r\nHost : a\r\n\r\n", "\"GET /\\x22 HTTP/1.1\" 400 "));
  }

  private static final String CLOSING =
      "GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

  @ParameterizedTest
  @MethodSource("requests")
  void malformedRequest_hasALine(String request, String expected) throws Exception {
    String answer = proxy.raw(request);
    String status = answer.substring("HTTP/1.1 ".length(), "HTTP/1.1 400".length());
    assertThat(expected).endsWith(status + " ");
    String line = lines(1).get(0);
    int body = answer.length() - answer.indexOf("\r\n\r\n") - 4;
    assertThat(line)
        .startsWith("127.0.0.1 - - [")
        .contains(expected + body + " ")
        .endsWith(" \"-\" -");
  }

  @ParameterizedTest
  @MethodSource("requests")
  void malformedRequest_afterAGoodOne_hasALine(String request, String expected) throws Exception {
    proxy.raw(GOOD + request);
    assertThat(lines(2))
        .anyMatch(line -> line.contains("\"GET /good HTTP/1.1\" 200 "))
        .anyMatch(line -> line.contains(expected));
  }

  @Test
  void timeout_ofTheHead_hasALine() throws Exception {
    assertThat(proxy.raw("GET /slow HT")).startsWith("HTTP/1.1 408");
    try (Socket client = proxy.connect()) {
      client.getOutputStream().write(GOOD.getBytes(ISO_8859_1));
      assertThat(SocketOrigin.head(client)).startsWith("HTTP/1.1 200");
      client.getOutputStream().write("GET /slow HT".getBytes(ISO_8859_1));
      assertThat(RunningServer.rest(client)).contains("HTTP/1.1 408");
    }
    assertThat(lines(3)).filteredOn(line -> line.contains("\"- - -\" 408 ")).hasSize(2);
  }

  @Test
  void timeout_afterTheRequestLine_hasOneLine() throws Exception {
    assertThat(proxy.raw("GET /slow HTTP/1.1\r\nHost: a\r\n")).startsWith("HTTP/1.1 408");
    proxy.raw(GOOD + CLOSING);
    assertThat(lines(3)).hasSize(3).filteredOn(line -> line.contains("\"- - -\" 408 ")).hasSize(1);
  }

  @Test
  void clientLeaves_withinTheHead_hasNoLine() throws Exception {
    try (Socket client = proxy.connect()) {
      client.getOutputStream().write("GET /left HTTP/1.1\r\nHost: a\r\n".getBytes(ISO_8859_1));
      client.shutdownOutput();
      assertThat(RunningServer.rest(client)).isEmpty();
    }
    proxy.raw(GOOD + CLOSING);
    assertThat(lines(2)).hasSize(2).allMatch(line -> line.contains(" 200 "));
  }

  @Test
  void headersTooLarge_http2_hasALine() throws Exception {
    try (Http2Frames client = new Http2Frames(proxy.connect())) {
      client.head(1, false, tooLargeHead());
      assertThat(client.status(client.next(Http2Frames.HEADERS))).isEqualTo(431);
      client.get(3, true);
      assertThat(client.status(client.next(Http2Frames.HEADERS))).isEqualTo(200);
    }
    assertThat(lines(2))
        .anyMatch(line -> line.contains("\"- - HTTP/2.0\" 431 0 "))
        .anyMatch(line -> line.contains("\"GET / HTTP/2.0\" 200 "));
  }

  /** A frame of 4 KiB whose fields, with the overhead that HTTP/2 counts for each, take 18 KB. */
  private static String[] tooLargeHead() {
    String[] fields = new String[1_000];
    for (int i = 0; i < fields.length; i += 2) {
      fields[i] = "x-a";
      fields[i + 1] = "b";
    }
    return fields;
  }

  @Test
  void malformedHead_http2_hasALineWithoutItsTarget() throws Exception {
    try (Http2Frames client = new Http2Frames(proxy.connect())) {
      client.head(1, true, ":method", "G T", ":scheme", "http", ":path", "/", ":authority", "a");
      assertThat(client.status(client.next(Http2Frames.HEADERS))).isEqualTo(400);
    }
    assertThat(lines(1).get(0)).contains("\"- - HTTP/2.0\" 400 ");
  }

  @Test
  void upgradeToHttp2_hasOneLineForItsRequest() throws Exception {
    try (Socket client = proxy.connect()) {
      client.getOutputStream().write(UPGRADE.getBytes(ISO_8859_1));
      assertThat(SocketOrigin.head(client)).startsWith("HTTP/1.1 101");
      await().until(() -> Files.readAllLines(log).size() == 1);
    }
    proxy.raw(GOOD.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
    assertThat(lines(2))
        .anyMatch(line -> line.contains("\"GET /good HTTP/2.0\" 200 "))
        .anyMatch(line -> line.contains("\"GET /good HTTP/1.1\" 200 "));
  }

  /** Without a gate, the proxy fails before it starts an exchange. */
  @Test
  void internalError_hasALine() throws Exception {
    GuardedTransport transport = new GuardedTransport();
    Vertx vertx = Vertx.builder().withTransport(transport).build();
    Upstream upstream =
        SettingsReader.read(Map.of(Setting.UPSTREAM, origin.url()), Map.of(), null)
            .upstream()
            .orElseThrow();
    Path other = folder.resolve("other.log");
    try (AccessLog accessLog = new AccessLog(AccessFormat.COMMON, Destination.file(other))) {
      ProxyListener broken = new ProxyListener(vertx, null, upstream, 1, accessLog);
      HttpListener.ListenerAddress address =
          new HttpListener.ListenerAddress(
              transport,
              new Connections(
                  "test", new Connections.ConnectionLimits(10, 10, 60_000), peer -> true),
              new HttpServerOptions().setHost("127.0.0.1").setPort(0),
              1);
      HttpListener listener =
          HttpListener.open(vertx, address, broken, new FailedRequests("test"), broken.unhandled())
              .await();
      try (Socket client = new Socket(InetAddress.getLoopbackAddress(), listener.port())) {
        client.getOutputStream().write(GOOD.getBytes(ISO_8859_1));
        assertThat(RunningServer.rest(client)).startsWith("HTTP/1.1 500");
      }
      await().until(() -> Files.readString(other).contains("\"GET /good HTTP/1.1\" 500 "));
    } finally {
      vertx.close().await();
    }
  }

  private List<String> lines(int count) throws IOException {
    await().until(() -> Files.readAllLines(log).size() >= count);
    assertThat(Files.readAllLines(log)).hasSize(count);
    return Files.readAllLines(log);
  }
}
