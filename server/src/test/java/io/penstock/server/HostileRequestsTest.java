package io.penstock.server;

import static io.penstock.testing.Waiting.await;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Malformed and abusive requests. After each of them, the service still responds. */
final class HostileRequestsTest {
  private static final String HEAD = "POST /v1/check HTTP/1.1\r\nHost: a\r\n";
  private static final int MAX_CONNECTIONS = 50;

  private static RunningServer server;

  @BeforeAll
  static void start() {
    server =
        RunningServer.with(
            Map.of(
                Setting.MAX_CONNECTIONS,
                Integer.toString(MAX_CONNECTIONS),
                Setting.REQUEST_TIMEOUT_MS,
                "3000"));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @AfterEach
  void stillAnswers() {
    assertThat(server.check("{}").statusCode()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "nonsense\r\n\r\n",
        "GET  HTTP/1.1\r\nHost: a\r\n\r\n",
        HEAD + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x",
        HEAD + "Content-Length: -1\r\n\r\n",
        HEAD + "Content-Length: 2x\r\n\r\n{}",
        HEAD + "Content-Length: 99999999999999999999\r\n\r\n{}",
        HEAD + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        HEAD + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n{}\r\n0\r\n\r\n",
        HEAD + "Transfer-Encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n",
        HEAD + "A: b\u0000c\r\nContent-Length: 2\r\n\r\n{}",
        HEAD + "A b: c\r\nContent-Length: 2\r\n\r\n{}",
        HEAD + "Content-Length : 2\r\n\r\n{}",
        "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003\r\n\r\n",
      })
  void malformed_isRejectedAndClosed(String bytes) throws IOException {
    String answer = server.raw(bytes);
    assertThat(answer).matches("(?s)HTTP/1\\.[01] 400 .*").doesNotContain("Exception");
  }

  @Test
  void tooLongLine_is414() throws IOException {
    assertThat(server.raw("GET /" + "a".repeat(9_000) + " HTTP/1.1\r\nHost: a\r\n\r\n"))
        .matches("(?s)HTTP/1\\.[01] 414 .*")
        .contains("application/problem+json");
  }

  @Test
  void tooLargeHead_is431() throws IOException {
    String many = "X-Filler: " + "a".repeat(1_000) + "\r\n";
    assertThat(server.raw(HEAD + many.repeat(20) + "\r\n")).startsWith("HTTP/1.1 431");
  }

  @Test
  void tooLargeBody_announced_is413BeforeItIsSent() throws IOException {
    assertThat(server.raw(HEAD + "Content-Length: 65537\r\n\r\n")).startsWith("HTTP/1.1 413");
  }

  @Test
  void tooLargeBody_expectContinue_is413WithoutReadingIt() throws IOException {
    assertThat(server.raw(HEAD + "Content-Length: 1000000\r\nExpect: 100-continue\r\n\r\n"))
        .startsWith("HTTP/1.1 413");
  }

  @Test
  void tooLargeBody_chunked_is413AtTheLimit() throws IOException {
    String chunk = "4000\r\n" + " ".repeat(0x4000) + "\r\n";
    try (Socket socket = server.connect()) {
      OutputStream out = socket.getOutputStream();
      out.write((HEAD + "Transfer-Encoding: chunked\r\n\r\n").getBytes(ISO_8859_1));
      try {
        for (int i = 0; i < 64; i++) {
          out.write(chunk.getBytes(ISO_8859_1));
        }
      } catch (SocketException closedByThen) {
        // The response arrived before.
      }
      assertThat(RunningServer.rest(socket)).startsWith("HTTP/1.1 413");
    }
  }

  @Test
  void maxBody_isRead() {
    String filler = " ".repeat((64 << 10) - 2);
    assertThat(server.check("{" + filler + "}").statusCode()).isEqualTo(200);
    assertThat(server.check("{ " + filler + "}").statusCode()).isEqualTo(413);
  }

  @Test
  void truncatedBody_chargesNothing() throws IOException {
    try (Socket socket = server.connect()) {
      socket.getOutputStream().write((HEAD + "Content-Length: 100\r\n\r\n{").getBytes(ISO_8859_1));
      socket.shutdownOutput();
      assertThat(RunningServer.rest(socket)).isEmpty();
    }
  }

  @Test
  void slowHead_is408() throws IOException {
    try (Socket socket = server.connect()) {
      socket.getOutputStream().write("GET / HT".getBytes(ISO_8859_1));
      assertThat(RunningServer.rest(socket)).startsWith("HTTP/1.1 408");
    }
  }

  @Test
  void slowHead_afterAGoodRequest_is408() throws IOException {
    try (Socket socket = server.connect()) {
      OutputStream out = socket.getOutputStream();
      out.write((HEAD + "Content-Length: 2\r\n\r\n{}").getBytes(ISO_8859_1));
      byte[] first = socket.getInputStream().readNBytes(12);
      assertThat(new String(first, ISO_8859_1)).isEqualTo("HTTP/1.1 200");
      out.write("POST /v1/check HT".getBytes(ISO_8859_1));
      assertThat(RunningServer.rest(socket)).contains("HTTP/1.1 408");
    }
  }

  @Test
  void slowBody_is408() throws IOException {
    try (Socket socket = server.connect()) {
      socket.getOutputStream().write((HEAD + "Content-Length: 9\r\n\r\n{").getBytes(ISO_8859_1));
      assertThat(RunningServer.rest(socket)).startsWith("HTTP/1.1 408");
    }
  }

  @Test
  void tooManyConnections_areClosedAtOnce() throws Exception {
    List<Socket> sockets = new ArrayList<>();
    try {
      for (int i = 0; i < MAX_CONNECTIONS + 10; i++) {
        sockets.add(server.connect());
      }
      Socket last = sockets.get(sockets.size() - 1);
      assertThat(closed(last)).isTrue();
      assertThat(server.admin("/livez").statusCode()).as("the admin listener").isEqualTo(200);
    } finally {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
    await().until(HostileRequestsTest::answersAgain);
  }

  private static boolean answersAgain() {
    try {
      return server.check("{}").statusCode() == 200;
    } catch (UncheckedIOException rejected) {
      return false;
    }
  }

  private static boolean closed(Socket socket) {
    try {
      return socket.getInputStream().read() < 0;
    } catch (IOException reset) {
      return true;
    }
  }

  @Test
  void unknownMethodsAndPaths_areProblems() throws IOException {
    assertThat(server.raw("BREW /v1/check HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"))
        .startsWith("HTTP/1.1 405");
    assertThat(server.raw("GET * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"))
        .startsWith("HTTP/1.1 404");
    assertThat(
            server.raw(
                "GET http://other/v1/check HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"))
        .startsWith("HTTP/1.1 40");
  }
}
