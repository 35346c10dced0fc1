package io.penstock.server.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.RunningServer;
import io.penstock.server.Setting;
import io.penstock.server.proxy.Http2Frames.Frame;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Informational responses of an origin never count as the final response to a request. */
final class ProxyInterimTest {
  private static final Map<Setting, String> ONE_CONNECTION =
      Map.of(Setting.UPSTREAM_CONNECTIONS, "1");

  @TempDir private Path folder;

  private static String get(String path) {
    return "GET " + path + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
  }

  private static String ok(String body) {
    return "HTTP/1.1 200 OK\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
  }

  @ParameterizedTest
  @ValueSource(ints = {100, 102, 103, 104, 150, 199})
  void informational_thenTheFinalResponse_eachClientGetsItsOwn(int status) throws Exception {
    CountDownLatch otherAsked = new CountDownLatch(1);
    try (SocketOrigin origin =
            new SocketOrigin(
                (head, connection) -> {
                  if (head.startsWith("GET /report")) {
                    connection.send("HTTP/1.1 " + status + " Wait\r\nX-Interim: a\r\n\r\n");
                    await(otherAsked);
                    connection.send(ok("report"));
                  } else {
                    connection.send(ok("other"));
                  }
                });
        ProxyFixture proxy =
            new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url(), ONE_CONNECTION);
        Socket report = proxy.connect();
        Socket other = proxy.connect()) {
      report.getOutputStream().write(get("/report").getBytes(ISO_8859_1));
      if (status != 100) {
        // The client has received it, so the proxy has processed it.
        assertThat(SocketOrigin.head(report)).startsWith("HTTP/1.1 " + status + " ");
      }
      other.getOutputStream().write(get("/").getBytes(ISO_8859_1));
      otherAsked.countDown();
      assertThat(RunningServer.rest(report)).startsWith("HTTP/1.1 200").endsWith("report");
      assertThat(RunningServer.rest(other)).startsWith("HTTP/1.1 200").endsWith("other");
    }
  }

  @SuppressWarnings("StringConcatToTextBlock") // Lines end with CRLF.
  @Test
  void informational_many_areForwardedInOrder() throws Exception {
    try (SocketOrigin origin =
            new SocketOrigin(
                (head, connection) ->
                    connection.send(
                        "HTTP/1.1 102 Processing\r\n\r\n"
                            + "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n"
                            + "Connection: X-Own\r\nX-Own: 1\r\nKeep-Alive: 5\r\n\r\n"
                            + "HTTP/1.1 199 \r\n\r\n"
                            + ok("done")));
        ProxyFixture proxy = new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url())) {
      String answer = proxy.raw(get("/"));
      assertThat(answer)
          .matches(
              "(?s)HTTP/1\\.1 102 Processing\r\n\r\n"
                  + "HTTP/1\\.1 103 Early Hints\r\n(?i:link): </a.css>; rel=preload\r\n\r\n"
                  + "HTTP/1\\.1 199 [^\r]*\r\n\r\nHTTP/1\\.1 200 OK\r\n.*done")
          .doesNotContainIgnoringCase("x-own")
          .doesNotContainIgnoringCase("interim");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void informational_toAnHttp2Client_areForwardedInOrder(boolean http2Origin) throws Exception {
    try (SocketOrigin origin = http2Origin ? interimOverHttp2() : interimOverHttp1();
        ProxyFixture proxy =
            new ProxyFixture(
                folder,
                ProxyFixture.UNLIMITED,
                origin.url(),
                Map.of(Setting.UPSTREAM_HTTP2, Boolean.toString(http2Origin)));
        Http2Frames client = new Http2Frames(proxy.connect())) {
      for (int stream = 1; stream < 6; stream += 2) {
        client.get(stream, true);
        assertThat(statuses(client, stream)).containsExactly(102, 103, 199, 200);
      }
    }
  }

  private static SocketOrigin interimOverHttp1() throws IOException {
    return new SocketOrigin(
        (head, connection) ->
            connection.send(
                "HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
                    + "HTTP/1.1 199 Wait\r\n\r\n"
                    + ok("done")));
  }

  private static SocketOrigin interimOverHttp2() throws IOException {
    return SocketOrigin.http2(
        (frames, stream) -> {
          frames.head(stream, false, ":status", "102");
          frames.head(stream, false, ":status", "103", "link", "</a>");
          frames.head(stream, false, ":status", "199");
          frames.head(stream, false, ":status", "200");
          frames.write(Http2Frames.DATA, Http2Frames.END_STREAM, stream, "done".getBytes(US_ASCII));
        });
  }

  /** Returns the statuses on a stream, which must end with the body {@code done}. */
  private static List<Integer> statuses(Http2Frames client, int stream) throws IOException {
    List<Integer> statuses = new ArrayList<>();
    StringBuilder body = new StringBuilder();
    while (true) {
      Frame frame = client.nextOf(Http2Frames.HEADERS, Http2Frames.DATA);
      assertThat(frame).isNotNull();
      assertThat(frame.stream()).isEqualTo(stream);
      if (frame.type() == Http2Frames.HEADERS) {
        assertThat(body).as("the body before a head").isEmpty();
        statuses.add(client.status(frame));
      } else {
        body.append(US_ASCII.decode(frame.payload()));
      }
      if ((frame.flags() & Http2Frames.END_STREAM) != 0) {
        assertThat(body).hasToString("done");
        return statuses;
      }
    }
  }

  /** HTTP/1.0 has no informational responses. */
  @Test
  void informational_toHttp10_isDropped() throws Exception {
    try (SocketOrigin origin =
            new SocketOrigin(
                (head, connection) ->
                    connection.send("HTTP/1.1 102 Processing\r\n\r\n" + ok("done")));
        ProxyFixture proxy = new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url())) {
      assertThat(proxy.raw("GET / HTTP/1.0\r\nHost: a\r\n\r\n"))
          .startsWith("HTTP/1.0 200")
          .doesNotContain("102");
    }
  }

  @Test
  void informational_beforeAnUpgrade_theUpgradeSucceeds() throws Exception {
    try (SocketOrigin origin =
            new SocketOrigin(
                (head, connection) -> {
                  connection.send(
                      "HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 101 Switching Protocols\r\n"
                          + "Connection: Upgrade\r\nUpgrade: x\r\n\r\nhello");
                  throw new IOException("closed by the script");
                });
        ProxyFixture proxy = new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url())) {
      assertThat(
              proxy.raw("GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"))
          .matches("(?s)HTTP/1\\.1 102 .*HTTP/1\\.1 101 .*\r\n\r\nhello");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n",
        "HTTP/1.1 0 Zero\r\nContent-Length: 2\r\n\r\nno",
        "HTTP/1.1 99 Low\r\nContent-Length: 2\r\n\r\nno",
        "HTTP/1.1 099 Low\r\nContent-Length: 2\r\n\r\nno",
        "HTTP/1.1 1000 High\r\nContent-Length: 2\r\n\r\nno",
        "HTTP/1.1 99999 High\r\nContent-Length: 2\r\n\r\nno",
        "HTTP/1.1 +200 Sign\r\nContent-Length: 2\r\n\r\nno",
        "HTTP/1.1 0200 Zero\r\nContent-Length: 2\r\n\r\nno",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\nno\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nno",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n",
        "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nno",
      })
  void invalidResponse_is502AndTheConnectionIsClosed(String answer) throws Exception {
    try (SocketOrigin origin =
            new SocketOrigin(
                (head, connection) -> {
                  connection.send(connection.number() == 1 ? answer : ok("next"));
                });
        ProxyFixture proxy =
            new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url(), ONE_CONNECTION)) {
      assertThat(proxy.raw(get("/"))).startsWith("HTTP/1.1 502");
      assertThat(proxy.raw(get("/"))).startsWith("HTTP/1.1 200").endsWith("next");
      assertThat(origin.accepted()).isEqualTo(2);
    }
  }

  /** A response that has no body must not contradict itself either. */
  @ParameterizedTest
  @CsvSource({
    "HEAD, 200 OK",
    "HEAD, 404 Not Found",
    "GET, 304 Not Modified",
    "GET, 204 No Content"
  })
  void lengthAndChunks_withoutABody_is502AndTheConnectionIsClosed(String method, String status)
      throws Exception {
    String both = "\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n";
    try (SocketOrigin origin =
            new SocketOrigin(
                (head, connection) ->
                    connection.send(
                        connection.number() == 1 ? "HTTP/1.1 " + status + both : ok("next")));
        ProxyFixture proxy =
            new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url(), ONE_CONNECTION)) {
      assertThat(proxy.raw(get("/").replace("GET", method))).startsWith("HTTP/1.1 502 Bad Gateway");
      assertThat(proxy.raw(get("/"))).startsWith("HTTP/1.1 200").endsWith("next");
      assertThat(origin.accepted()).isEqualTo(2);
    }
  }

  @Test
  void switchToAProtocolThatWasNotRequested_is502() throws Exception {
    for (String upgrade : List.of("Connection: Upgrade\r\nUpgrade: y\r\n", "")) {
      try (SocketOrigin origin =
              new SocketOrigin(
                  (head, connection) ->
                      connection.send(
                          "HTTP/1.1 101 Switching Protocols\r\n" + upgrade + "\r\nhello"));
          ProxyFixture proxy = new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url());
          Socket client = proxy.connect()) {
        client
            .getOutputStream()
            .write(
                "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"
                    .getBytes(ISO_8859_1));
        assertThat(SocketOrigin.head(client)).startsWith("HTTP/1.1 502");
      }
    }
  }

  @Test
  void informational_asManyAsAllowed_theFinalResponseIsForwarded() throws Exception {
    String processing = "HTTP/1.1 102 Processing\r\n\r\n".repeat(InterimStatus.MAX_RESPONSES);
    try (SocketOrigin origin =
            new SocketOrigin((head, connection) -> connection.send(processing + ok("done")));
        ProxyFixture proxy =
            new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url(), ONE_CONNECTION)) {
      for (int i = 0; i < 3; i++) {
        assertThat(proxy.raw(get("/"))).contains("HTTP/1.1 200 OK").endsWith("done");
      }
      assertThat(origin.accepted()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {100, 102, 103})
  void informational_moreThanAllowed_is502AndTheConnectionIsClosed(int status) throws Exception {
    String tooMany =
        ("HTTP/1.1 " + status + " Wait\r\n\r\n").repeat(InterimStatus.MAX_RESPONSES + 1);
    try (SocketOrigin origin =
            new SocketOrigin(
                (head, connection) ->
                    connection.send(connection.number() == 1 ? tooMany + ok("late") : ok("next")));
        ProxyFixture proxy =
            new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url(), ONE_CONNECTION)) {
      assertThat(proxy.raw(get("/"))).contains("HTTP/1.1 502 Bad Gateway").doesNotContain("late");
      assertThat(proxy.raw(get("/"))).startsWith("HTTP/1.1 200").endsWith("next");
      assertThat(origin.accepted()).isEqualTo(2);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"100", "102", "103"})
  void informational_moreThanAllowedOverHttp2_is502AndTheStreamIsReset(String status)
      throws Exception {
    AtomicInteger requests = new AtomicInteger();
    try (SocketOrigin origin =
            SocketOrigin.http2(
                (frames, stream) -> {
                  boolean first = requests.getAndIncrement() == 0;
                  int count = InterimStatus.MAX_RESPONSES + (first ? 1 : 0);
                  for (int i = 0; i < count; i++) {
                    frames.head(stream, false, ":status", status);
                  }
                  frames.head(stream, true, ":status", "204");
                });
        ProxyFixture proxy =
            new ProxyFixture(
                folder,
                ProxyFixture.UNLIMITED,
                origin.url(),
                Map.of(Setting.UPSTREAM_CONNECTIONS, "1", Setting.UPSTREAM_HTTP2, "true"))) {
      assertThat(proxy.raw(get("/"))).contains("HTTP/1.1 502 Bad Gateway");
      assertThat(proxy.raw(get("/"))).contains("HTTP/1.1 204 No Content");
      assertThat(origin.accepted()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"\0", "\1", "\b", "\33[2J", "\37", "\177"})
  void reasonPhrase_withAControlCharacter_isReplaced(String control) throws Exception {
    try (SocketOrigin origin =
            new SocketOrigin(
                (head, connection) ->
                    connection.send(ok("found").replace("200 OK", "404 Not" + control + "here")));
        ProxyFixture proxy = new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url())) {
      assertThat(proxy.raw(get("/"))).startsWith("HTTP/1.1 404 Not Found\r\n").endsWith("found");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"Not here", "Not\there", "N\u00e4ssjö", ""})
  void reasonPhrase_withoutControlCharacters_isForwarded(String phrase) throws Exception {
    try (SocketOrigin origin =
            new SocketOrigin(
                (head, connection) ->
                    connection.send(ok("found").replace("200 OK", "404 " + phrase)));
        ProxyFixture proxy = new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url())) {
      assertThat(proxy.raw(get("/"))).startsWith("HTTP/1.1 404 " + phrase + "\r\n");
    }
  }

  @Test
  void informational_whileTheBodyIsSent_theExchangeContinues() throws Exception {
    CompletableFuture<String> body = new CompletableFuture<>();
    try (SocketOrigin origin =
            new SocketOrigin(
                (head, connection) -> {
                  connection.send("HTTP/1.1 102 Processing\r\n\r\n");
                  body.complete(
                      new String(connection.socket().getInputStream().readNBytes(5), ISO_8859_1));
                  connection.send(ok("thanks"));
                });
        ProxyFixture proxy = new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url());
        Socket client = proxy.connect()) {
      client
          .getOutputStream()
          .write(
              "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhe"
                  .getBytes(ISO_8859_1));
      assertThat(SocketOrigin.head(client)).startsWith("HTTP/1.1 102");
      client.getOutputStream().write("llo".getBytes(ISO_8859_1));
      assertThat(RunningServer.rest(client)).startsWith("HTTP/1.1 200").endsWith("thanks");
      assertThat(body).isCompletedWithValue("hello");
    }
  }

  private static void await(CountDownLatch latch) throws IOException {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }
}
