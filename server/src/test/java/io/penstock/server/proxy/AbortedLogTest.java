package io.penstock.server.proxy;

import static io.penstock.testing.Waiting.await;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.Setting;
import java.io.IOException;
import java.io.UncheckedIOException;
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

/** The access log entries of responses that clients did not receive completely. */
final class AbortedLogTest {
  private static final String HALF = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello";
  private static final String WHOLE = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
  private static final String GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

  @TempDir private Path folder;
  private Path file;
  private final BlockingQueue<String> heads = new LinkedBlockingQueue<>();
  private String answer = "";
  private boolean breaksOff;
  private SocketOrigin origin;
  private ProxyFixture proxy;

  @BeforeEach
  void start() throws IOException {
    file = folder.resolve("access.log");
    origin =
        new SocketOrigin(
            (head, connection) -> {
              heads.add(head);
              connection.send(answer);
              if (breaksOff) {
                throw new IOException("broken off");
              }
            });
    proxy =
        new ProxyFixture(
            folder,
            ProxyFixture.UNLIMITED,
            origin.url(),
            Map.of(Setting.ACCESS_LOG, "json", Setting.ACCESS_LOG_FILE, file.toString()));
  }

  @AfterEach
  void stop() throws IOException {
    proxy.close();
    origin.close();
  }

  @Test
  void client_disconnectsBeforeTheResponse_is499() throws Exception {
    try (Socket client = proxy.connect()) {
      send(client, GET);
      heads.take();
    }
    assertThat(line())
        .contains("\"status\":499,\"bytes\":0,")
        .contains("\"aborted\":\"client\",\"upstream_status\":null");
  }

  @Test
  void client_disconnectsWithinTheBody_logsSentBytes() throws Exception {
    answer = HALF;
    try (Socket client = proxy.connect()) {
      send(client, GET);
      readTo(client, "hello");
    }
    assertThat(line())
        .contains("\"status\":200,\"bytes\":5,")
        .contains("\"aborted\":\"client\",\"upstream_status\":200");
  }

  @Test
  void origin_abortsWithinTheBody_isLogged() throws Exception {
    answer = HALF;
    breaksOff = true;
    proxy.raw(GET);
    assertThat(line())
        .contains("\"status\":200,\"bytes\":5,")
        .contains("\"aborted\":\"upstream\",\"upstream_status\":200");
  }

  @Test
  void stream_resetBeforeTheResponse_is499() throws Exception {
    try (Http2Frames client = new Http2Frames(proxy.connect())) {
      client.get(1, true);
      heads.take();
      client.reset(1);
      assertThat(line())
          .contains("\"status\":499,\"bytes\":0,")
          .contains("\"aborted\":\"client\",\"upstream_status\":null");
    }
  }

  @Test
  void stream_resetWithinTheBody_logsSentBytes() throws Exception {
    answer = HALF;
    try (Http2Frames client = new Http2Frames(proxy.connect())) {
      client.get(1, true);
      client.next(Http2Frames.DATA);
      client.reset(1);
      assertThat(line())
          .contains("\"status\":200,\"bytes\":5,")
          .contains("\"aborted\":\"client\",\"upstream_status\":200");
    }
  }

  @Test
  void stream_resetWithQueuedEndOfResponse_isNotComplete() throws Exception {
    answer = WHOLE;
    try (Http2Frames client = new Http2Frames(proxy.connect())) {
      // INITIAL_WINDOW_SIZE is 2, so 3 bytes of the complete response can't be sent.
      client.write(Http2Frames.SETTINGS, 0, 0, new byte[] {0, 4, 0, 0, 0, 2});
      client.get(1, true);
      client.next(Http2Frames.DATA);
      client.reset(1);
      assertThat(line())
          .contains("\"status\":200,\"bytes\":0,")
          .contains("\"aborted\":\"client\",\"upstream_status\":200");
    }
  }

  @Test
  void response_complete_isNotAbortedAndHasTheIdOfTheOrigin() throws Exception {
    answer = WHOLE;
    try (Socket client = proxy.connect()) {
      send(client, GET);
      readTo(client, "hello");
      String id =
          heads
              .take()
              .lines()
              .filter(field -> field.startsWith("x-request-id: "))
              .findFirst()
              .orElseThrow()
              .substring("x-request-id: ".length());
      assertThat(line())
          .contains("\"request_id\":\"" + id + "\"")
          .contains("\"status\":200,\"bytes\":5,")
          .contains("\"aborted\":null,\"upstream_status\":200");
    }
  }

  /** Returns the only line of the log. */
  private String line() throws InterruptedException {
    await().until(() -> !lines().isEmpty());
    assertThat(lines()).hasSize(1);
    return lines().get(0);
  }

  private List<String> lines() {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void send(Socket to, String bytes) throws IOException {
    to.getOutputStream().write(bytes.getBytes(ISO_8859_1));
  }

  private static void readTo(Socket from, String end) throws IOException {
    StringBuilder read = new StringBuilder();
    while (read.indexOf(end) < 0) {
      int next = from.getInputStream().read();
      assertThat(next).isNotNegative();
      read.append((char) next);
    }
  }
}
