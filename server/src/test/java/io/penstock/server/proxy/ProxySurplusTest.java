package io.penstock.server.proxy;

import static io.penstock.testing.Waiting.await;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.RunningServer;
import io.penstock.server.Setting;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Bytes that an origin sends after a response. Their connection is closed, so they never become a
 * part of another client's response.
 */
final class ProxySurplusTest {
  private static final Map<Setting, String> ONE_CONNECTION =
      Map.of(Setting.UPSTREAM_CONNECTIONS, "1");
  private static final String EVIL = "HTTP/1.1 200 OK\r\nSet-Cookie: evil=1\r\n";
  private static final String NEXT = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnext";

  @TempDir private Path folder;

  static Stream<Arguments> surplus() {
    return Stream.of(
            "GET|HTTP/1.1 204 No Content\r\n\r\n",
            "GET|HTTP/1.1 204 No Content\r\nContent-Length: 9\r\n\r\n",
            "GET|HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n",
            "HEAD|HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n",
            "HEAD|HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
            "GET|HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
            "GET|HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
            "GET|HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok",
            "GET|HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
            "GET|HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: y\r\n\r\n")
        .flatMap(
            answer ->
                Stream.of(EVIL, EVIL + "Content-Length: 0\r\n\r\n", "H", "\r\n", "body", "\u0000")
                    .map(
                        surplus ->
                            Arguments.of(
                                answer.substring(0, answer.indexOf('|')),
                                answer.substring(answer.indexOf('|') + 1),
                                surplus)));
  }

  @ParameterizedTest
  @MethodSource("surplus")
  void bytesAfterAResponse_reachNoClient(String method, String answer, String surplus)
      throws Exception {
    try (SocketOrigin origin =
            new SocketOrigin(
                (head, connection) ->
                    connection.send(connection.number() == 1 ? answer + surplus : NEXT));
        ProxyFixture proxy =
            new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url(), ONE_CONNECTION)) {
      String first = proxy.raw(method + " / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
      assertThat(first).startsWith("HTTP/1.1 " + answer.substring(9, 12)).doesNotContain("evil");
      for (int i = 0; i < 3; i++) {
        assertThat(proxy.raw("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"))
            .startsWith("HTTP/1.1 200")
            .endsWith("next")
            .doesNotContain("evil");
      }
      assertThat(origin.accepted()).isEqualTo(2);
    }
  }

  /** The next client waits for the only connection when the surplus arrives. */
  @ParameterizedTest
  @MethodSource("surplus")
  void bytesAfterAResponse_otherClientWaiting_reachNoClient(
      String method, String answer, String surplus) throws Exception {
    CompletableFuture<Void> waiting = new CompletableFuture<>();
    try (SocketOrigin origin =
            new SocketOrigin(
                (head, connection) -> {
                  if (connection.number() == 1) {
                    waiting.join();
                    connection.send(answer + surplus);
                  } else {
                    connection.send(NEXT);
                  }
                });
        ProxyFixture proxy =
            new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url(), ONE_CONNECTION);
        Socket one = proxy.connect();
        Socket two = proxy.connect()) {
      send(one, method + " / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
      await().until(() -> origin.accepted() == 1);
      send(two, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
      await().until(() -> proxy.metric("penstock_proxy_in_flight") == 2);
      waiting.complete(null);
      assertThat(RunningServer.rest(one)).startsWith("HTTP/1.1 " + answer.substring(9, 12));
      assertThat(RunningServer.rest(two))
          .startsWith("HTTP/1.1 200")
          .endsWith("next")
          .doesNotContain("evil");
    }
  }

  @ParameterizedTest
  @MethodSource("idleBytes")
  void bytesOnAnIdleConnection_closeIt(String surplus) throws Exception {
    CompletableFuture<SocketOrigin.Connection> idle = new CompletableFuture<>();
    try (SocketOrigin origin =
            new SocketOrigin(
                (head, connection) -> {
                  connection.send(NEXT);
                  idle.complete(connection);
                });
        ProxyFixture proxy =
            new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url(), ONE_CONNECTION)) {
      proxy.raw("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
      idle.join().send(surplus);
      await().until(() -> origin.open() == 0);
      assertThat(proxy.raw("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"))
          .startsWith("HTTP/1.1 200")
          .endsWith("next")
          .doesNotContain("evil");
      assertThat(origin.accepted()).isEqualTo(2);
    }
  }

  static Stream<String> idleBytes() {
    return Stream.of(EVIL, EVIL + "Content-Length: 0\r\n\r\n", "\r\n", "HTTP/1.1 408 Late\r\n\r\n");
  }

  @Test
  void nothingAfterAResponse_theConnectionIsKept() throws Exception {
    String[] answers = {
      "HTTP/1.1 204 No Content\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
      "HTTP/1.1 102 Processing\r\n\r\n" + NEXT,
      "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok",
      NEXT
    };
    int[] next = {0};
    try (SocketOrigin origin =
            new SocketOrigin((head, connection) -> connection.send(answers[next[0]++]));
        ProxyFixture proxy =
            new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url(), ONE_CONNECTION)) {
      for (int i = 0; i < answers.length; i++) {
        proxy.raw("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
      }
      assertThat(origin.accepted()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @MethodSource("lastAnswers")
  void originThatWillClose_theConnectionIsNotReused(String answer) throws Exception {
    try (SocketOrigin origin = new SocketOrigin((head, connection) -> connection.send(answer));
        ProxyFixture proxy =
            new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url(), ONE_CONNECTION)) {
      for (int i = 0; i < 3; i++) {
        assertThat(proxy.raw("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"))
            .startsWith("HTTP/1.1 200")
            .endsWith("ok");
      }
      assertThat(origin.accepted()).isEqualTo(3);
    }
  }

  static Stream<String> lastAnswers() {
    return Stream.of(
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nConnection: X-A, Close\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nConnection: X-A\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nConnection: keep-alive, close\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok");
  }

  private static void send(Socket socket, String bytes) throws IOException {
    socket.getOutputStream().write(bytes.getBytes(ISO_8859_1));
  }
}
