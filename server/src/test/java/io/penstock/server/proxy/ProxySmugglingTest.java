package io.penstock.server.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.RunningServer;
import io.penstock.server.Setting;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Ambiguous requests, which two servers could parse differently. Each is rejected, or reaches the
 * origin as one unambiguous request: the origin never sees a second one.
 */
final class ProxySmugglingTest {
  private static final String INNER = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n";
  private static final String POST = "POST /p HTTP/1.1\r\nHost: a\r\n";
  private static final String CHUNKED = "Transfer-Encoding: chunked\r\n";

  @TempDir private static Path folder;
  private static final List<String> SEEN = new CopyOnWriteArrayList<>();
  private static TestOrigin origin;
  private static ProxyFixture proxy;

  @BeforeAll
  static void start() {
    origin =
        new TestOrigin(
            request -> {
              SEEN.add(request.method() + " " + request.uri());
              request.body().onSuccess(body -> request.response().end("ok"));
            });
    proxy =
        new ProxyFixture(
            folder,
            ProxyFixture.UNLIMITED,
            origin.url(),
            Map.of(Setting.REQUEST_TIMEOUT_MS, "5000"));
  }

  @AfterAll
  static void stop() {
    proxy.close();
    origin.close();
  }

  @BeforeEach
  void forget() {
    SEEN.clear();
  }

  static Stream<String> rejected() {
    return Stream.of(
        // Contradicting lengths.
        POST + "Content-Length: 5\r\n" + CHUNKED + "\r\n0\r\n\r\n" + INNER,
        POST + CHUNKED + "Content-Length: 5\r\n\r\n0\r\n\r\n" + INNER,
        POST + "Content-Length: 0\r\nContent-Length: 44\r\n\r\n" + INNER,
        POST + "Content-Length: 44\r\nContent-Length: 0\r\n\r\n" + INNER,
        POST + "Content-Length: 0, 44\r\n\r\n" + INNER,
        POST + "Content-Length: +44\r\n\r\n" + INNER,
        POST + "Content-Length: -1\r\n\r\n" + INNER,
        POST + "Content-Length: 0x2c\r\n\r\n" + INNER,
        POST + "Content-Length: 4 4\r\n\r\n" + INNER,
        POST + "Content-Length: 44a\r\n\r\n" + INNER,
        POST + "Content-Length: 99999999999999999999\r\n\r\n" + INNER,
        POST + "Content-Length: \r\n\r\n" + INNER,
        // Transfer codings that some servers don't support.
        POST + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + INNER,
        POST + "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n" + INNER,
        POST + "Transfer-Encoding: identity\r\n\r\n" + INNER,
        POST + "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n" + INNER,
        POST + CHUNKED + "Transfer-Encoding: identity\r\n\r\n0\r\n\r\n" + INNER,
        POST + CHUNKED + "Transfer-Encoding: x\r\n\r\n0\r\n\r\n" + INNER,
        POST + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + INNER,
        POST + "Transfer-Encoding\u000b: chunked\r\n\r\n0\r\n\r\n" + INNER,
        POST + "Transfer-Encoding: \u000bchunked\r\n\r\n0\r\n\r\n" + INNER,
        POST + " Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + INNER,
        "POST /p HTTP/1.0\r\nHost: a\r\n" + CHUNKED + "\r\n0\r\n\r\n" + INNER,
        // Malformed chunks.
        POST + CHUNKED + "\r\nx\r\n\r\n" + INNER,
        POST + CHUNKED + "\r\n-1\r\n\r\n" + INNER,
        POST + CHUNKED + "\r\n0x0\r\n\r\n" + INNER,
        POST + CHUNKED + "\r\n+0\r\n\r\n" + INNER,
        POST + CHUNKED + "\r\n1 2\r\na\r\n0\r\n\r\n" + INNER,
        POST + CHUNKED + "\r\nfffffffffffffffff\r\na\r\n0\r\n\r\n" + INNER,
        POST + CHUNKED + "\r\n2\r\nabc\r\n0\r\n\r\n" + INNER,
        POST + CHUNKED + "\r\n1\na\n0\n\n" + INNER,
        // Lines and names.
        "POST /p HTTP/1.1\nHost: a\nContent-Length: 0\n\n" + INNER,
        POST + "X: a\rContent-Length: 44\r\n\r\n" + INNER,
        POST + "X: a\u0000b\r\n\r\n" + INNER,
        POST + "X\u0000: a\r\n\r\n" + INNER,
        POST + ": a\r\n\r\n" + INNER,
        POST + "no colon\r\n\r\n" + INNER,
        POST + "X A: a\r\n\r\n" + INNER,
        POST + "X\tA: a\r\n\r\n" + INNER,
        POST + "X : a\r\n\r\n" + INNER,
        POST + "X\t: a\r\n\r\n" + INNER,
        POST + CHUNKED + "\r\n0\r\nX A: a\r\n\r\n" + INNER,
        POST + CHUNKED + "\r\n0\r\nX : a\r\n\r\n" + INNER,
        // Folded lines.
        POST + "X: y\r\n Transfer-Encoding: chunked\r\n\r\n" + INNER,
        POST + "X: y\r\n\tContent-Length: 44\r\n\r\n" + INNER,
        POST + "Transfer-Encoding:\r\n chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n" + INNER,
        POST + "Content-Length:\r\n 44\r\n\r\n" + INNER,
        "\r\n\r\n" + POST + "X: y\r\n z\r\n\r\n" + INNER,
        // Targets.
        "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n" + INNER,
        "GET http://other/ HTTP/1.1\r\nHost: a\r\n\r\n" + INNER,
        "GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n" + INNER,
        "GET a HTTP/1.1\r\nHost: a\r\n\r\n" + INNER,
        "GET /\u0001 HTTP/1.1\r\nHost: a\r\n\r\n" + INNER,
        "GET /\u00ff HTTP/1.1\r\nHost: a\r\n\r\n" + INNER,
        "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n" + INNER,
        "GET / HTTP/1.1\r\n\r\n" + INNER,
        "CONNECT other:443 HTTP/1.1\r\nHost: other:443\r\n\r\n" + INNER);
  }

  @ParameterizedTest
  @MethodSource("rejected")
  void ambiguous_isRejectedAndNothingFollows(String bytes) throws IOException {
    String answer = send(bytes);
    assertThat(answer).matches("(?s)HTTP/1\\.[01] (400|405|501) .*");
    assertThat(SEEN).noneMatch(seen -> seen.contains("smuggled")).hasSizeLessThan(2);
  }

  static Stream<String> foldedLater() {
    String folded = "GET /smuggled HTTP/1.1\r\nHost: a\r\nX: y\r\n z\r\n\r\n";
    String body = "1\r\n 2\r\n\t3";
    return Stream.of(
        "GET /p HTTP/1.1\r\nHost: a\r\n\r\n" + folded,
        "GET /p HTTP/1.1\r\nHost: a\r\n\r\n" + folded.replace(" z", "\tz"),
        POST + "Content-Length: " + body.length() + "\r\n\r\n" + body + folded,
        POST + CHUNKED + "\r\n" + body.length() + "\r\n" + body + "\r\n0\r\n\r\n" + folded);
  }

  /** Bodies may contain lines that look folded; the head after them must not. */
  @ParameterizedTest
  @MethodSource("foldedLater")
  void foldedAfterAValidRequest_isRejected(String bytes) throws IOException {
    assertThat(send(bytes)).matches("(?s)HTTP/1\\.1 200 .*HTTP/1\\.1 400 .*");
    assertThat(SEEN).hasSize(1).noneMatch(seen -> seen.contains("smuggled"));
  }

  @Test
  void folded_sentByteByByte_isRejectedInEveryRequest() throws IOException {
    String good = "GET /p HTTP/1.1\r\nHost: a\r\nX: y\r\n\r\n";
    try (Socket socket = proxy.connect()) {
      socket.setTcpNoDelay(true);
      for (char c : (good + good.replace("\r\n\r\n", "\r\n z\r\n\r\n")).toCharArray()) {
        socket.getOutputStream().write(c);
      }
      assertThat(RunningServer.rest(socket)).matches("(?s)HTTP/1\\.1 200 .*HTTP/1\\.1 400 .*");
    }
  }

  static Stream<String> forwarded() {
    return Stream.of(
        POST + "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
        POST + "Transfer-Encoding: CHUNKED\r\n\r\n5;name=value\r\nhello\r\n0\r\n\r\n",
        POST + CHUNKED + "\r\n5\r\nhello\r\n0\r\nX-Trailer: a\r\n\r\n",
        POST + "Connection: Content-Length\r\nContent-Length: 5\r\n\r\nhello",
        POST + "Connection: Transfer-Encoding\r\n" + CHUNKED + "\r\n5\r\nhello\r\n0\r\n\r\n",
        "GET http://a/p HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /p HTTP/1.1\r\nHost: a\r\nContent-Length: " + INNER.length() + "\r\n\r\n" + INNER,
        "GET /p HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: x\r\nContent-Length: "
            + INNER.length()
            + "\r\n\r\n"
            + INNER);
  }

  @ParameterizedTest
  @MethodSource("forwarded")
  void unusual_reachesTheOriginOnce(String bytes) throws IOException {
    String answer = send(bytes);
    if (answer.contains(" 200 ")) {
      assertThat(SEEN).hasSize(1).allMatch(seen -> seen.endsWith(" /p"));
    } else {
      assertThat(answer).matches("(?s)HTTP/1\\.[01] 400 .*");
      assertThat(SEEN).isEmpty();
    }
  }

  /** Sends bytes, and returns everything that is received until no more arrives. */
  private static String send(String bytes) throws IOException {
    try (Socket socket = proxy.connect()) {
      socket.setSoTimeout(20_000);
      socket.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
      StringBuilder text = new StringBuilder();
      try {
        int next;
        while ((next = socket.getInputStream().read()) >= 0) {
          text.append((char) next);
          socket.setSoTimeout(1_000);
        }
      } catch (SocketTimeoutException stillOpen) {
        // The proxy waits for another request.
      }
      return text.toString();
    }
  }

  /** The fixture is shared, so it must still work after each request. */
  @AfterEach
  void stillWorks() throws IOException {
    assertThat(proxy.raw("GET /p HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"))
        .startsWith("HTTP/1.1 200");
  }
}
