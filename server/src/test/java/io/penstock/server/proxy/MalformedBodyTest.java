package io.penstock.server.proxy;

import static io.penstock.testing.Waiting.await;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.RunningServer;
import io.penstock.server.Setting;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A request to the proxy whose body has malformed chunks. */
final class MalformedBodyTest {
  private static final String GET = "GET /get HTTP/1.1\r\nHost: a\r\n\r\n";
  private static final String POST =
      "POST /post HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n";
  private static final String MALFORMED = "zz\r\n";
  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
  private static final String PROBLEM =
      "HTTP/1\\.1 400 Bad Request\r\n.*application/problem\\+json\r\n.*\"status\":400.*}";

  @TempDir private Path folder;
  private final BlockingQueue<String> heads = new LinkedBlockingQueue<>();
  private String answerToPost = "";
  private Path log;
  private SocketOrigin origin;
  private ProxyFixture proxy;

  @BeforeEach
  void start() throws IOException {
    origin =
        new SocketOrigin(
            (head, connection) -> {
              heads.add(head);
              connection.send(head.startsWith("POST") ? answerToPost : OK);
            });
    log = folder.resolve("access.log");
    proxy =
        new ProxyFixture(
            folder,
            ProxyFixture.UNLIMITED,
            origin.url(),
            Map.of(
                Setting.ACCESS_LOG,
                "json",
                Setting.ACCESS_LOG_FILE,
                log.toString(),
                Setting.UPSTREAM_CONNECTIONS,
                "1"));
  }

  @AfterEach
  void stop() throws IOException {
    proxy.close();
    origin.close();
  }

  @Test
  void malformedChunk_is400WithAProblemAndLoggedAs400() throws Exception {
    assertThat(proxy.raw(POST + MALFORMED)).matches("(?s)" + PROBLEM);
    assertThat(lines(1)).allMatch(MalformedBodyTest::isComplete400);
    usesTheOriginAgain();
  }

  @Test
  void malformedChunk_afterTheOriginHasPartOfTheBody_is400() throws Exception {
    try (Socket client = proxy.connect()) {
      send(client, POST);
      heads.take();
      send(client, MALFORMED);
      assertThat(RunningServer.rest(client)).matches("(?s)" + PROBLEM);
    }
    assertThat(lines(1)).allMatch(MalformedBodyTest::isComplete400);
    usesTheOriginAgain();
  }

  @Test
  void malformedChunk_whileWaitingForAConnectionToTheOrigin_is400() throws Exception {
    try (Socket other = proxy.connect();
        Socket client = proxy.connect()) {
      send(other, POST);
      heads.take();
      send(client, POST + MALFORMED);
      assertThat(RunningServer.rest(client)).matches("(?s)" + PROBLEM);
      assertThat(lines(1)).allMatch(MalformedBodyTest::isComplete400);
    }
    assertThat(heads).isEmpty();
  }

  @Test
  void malformedChunk_inAPipelinedRequest_earlierOnesAreAnsweredFirst() throws Exception {
    assertThat(proxy.raw(GET + GET + POST + MALFORMED))
        .matches("(?s)(HTTP/1\\.1 200 OK\r\n.*?\r\n\r\nok){2}" + PROBLEM);
    List<String> logged = lines(3);
    assertThat(logged).filteredOn(line -> line.contains("\"status\":200,")).hasSize(2);
    assertThat(logged).filteredOn(MalformedBodyTest::isComplete400).hasSize(1);
    usesTheOriginAgain();
  }

  @Test
  void malformedChunk_withinTheResponse_theResponseIsAborted() throws Exception {
    answerToPost = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe";
    try (Socket client = proxy.connect()) {
      send(client, POST);
      assertThat(SocketOrigin.head(client)).startsWith("HTTP/1.1 200 ");
      send(client, MALFORMED);
      assertThat(RunningServer.rest(client)).isEqualTo("he");
    }
    assertThat(lines(1).get(0)).contains("\"status\":200,").contains("\"aborted\":\"client\"");
  }

  @Test
  void foldedTrailer_inAnyPieces_is400() throws Exception {
    String trailers = "0\r\nA: b\r\n c: d\r\n\r\n";
    for (int cut = 0; cut < trailers.length(); cut++) {
      try (Socket client = proxy.connect()) {
        client.setTcpNoDelay(true);
        send(client, POST + trailers.substring(0, cut));
        heads.take();
        send(client, trailers.substring(cut));
        assertThat(RunningServer.rest(client)).as("cut at %d", cut).matches("(?s)" + PROBLEM);
      }
    }
    usesTheOriginAgain();
  }

  @Test
  void trailer_notFolded_isAccepted() throws Exception {
    answerToPost = OK;
    for (String line : List.of("A: b", "A: b\r\nC: d e", "A:\t b ")) {
      try (Socket client = proxy.connect()) {
        send(client, POST + "0\r\n" + line + "\r\n\r\n");
        assertThat(SocketOrigin.head(client)).as(line).startsWith("HTTP/1.1 200 ");
      }
    }
  }

  private static boolean isComplete400(String line) {
    return line.contains("\"status\":400,") && line.contains("\"aborted\":null");
  }

  /** There is only one connection to the origin, which the malformed request must have released. */
  private void usesTheOriginAgain() throws IOException {
    assertThat(proxy.raw(GET.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n")))
        .startsWith("HTTP/1.1 200 ");
  }

  private List<String> lines(int count) throws Exception {
    await().until(() -> Files.readAllLines(log).size() >= count);
    assertThat(Files.readAllLines(log)).hasSize(count);
    return Files.readAllLines(log);
  }

  private static void send(Socket to, String bytes) throws IOException {
    to.getOutputStream().write(bytes.getBytes(ISO_8859_1));
  }
}
