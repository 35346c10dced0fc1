package io.penstock.server.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.RunningServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Requests that the origin receives only in part. It must never read another client's request as
 * the rest of one.
 */
final class ProxyUnfinishedTest {
  private static final int PATIENCE_MILLIS = 20_000;
  private static final int DATA = 0;
  private static final String EXPECTING =
      "POST /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\nExpect: 100-continue\r\n";
  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

  @TempDir private Path folder;
  private ServerSocket origin;
  private ProxyFixture proxy;

  @BeforeEach
  void start() throws IOException {
    origin = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    origin.setSoTimeout(PATIENCE_MILLIS);
    proxy =
        new ProxyFixture(
            folder, ProxyFixture.UNLIMITED, "http://127.0.0.1:" + origin.getLocalPort());
  }

  @AfterEach
  void stop() throws IOException {
    proxy.close();
    origin.close();
  }

  @Test
  void responseWithinABodyOfKnownLength_theConnectionIsClosed() throws IOException {
    try (Socket client = proxy.connect()) {
      send(client, "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 200\r\n\r\nhalf");
      closesAfterResponding(client);
    }
  }

  @Test
  void responseWithinAChunkedBody_theConnectionIsClosed() throws IOException {
    try (Socket client = proxy.connect()) {
      send(
          client, "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n");
      assertThat(closesAfterResponding(client)).doesNotContain("0\r\n\r\n");
    }
  }

  @Test
  void upgradeRejected_theConnectionIsClosed() throws IOException {
    try (Socket client = proxy.connect()) {
      send(client, "GET /a HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n");
      closesAfterResponding(client);
    }
  }

  /** Responds, and reads what follows, which must be nothing of another request. */
  private String closesAfterResponding(Socket client) throws IOException {
    try (Socket first = accept();
        Socket other = proxy.connect()) {
      RawOrigin.readHead(first);
      send(first, OK);
      RawOrigin.readHead(client);
      send(other, "GET /b HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
      String more = RunningServer.rest(first);
      assertThat(more).doesNotContain("GET");
      try (Socket second = accept()) {
        RawOrigin.readHead(second);
        send(second, OK);
        assertThat(RunningServer.rest(other)).startsWith("HTTP/1.1 200").endsWith("ok");
      }
      return more;
    }
  }

  @Test
  void uploadThatIsReset_doesNotLookComplete() throws IOException {
    try (Http2Frames client = new Http2Frames(proxy.connect())) {
      client.get(1, false);
      client.write(DATA, 0, 1, "half".getBytes(ISO_8859_1));
      try (Socket socket = accept()) {
        RawOrigin.readHead(socket);
        assertThat(new String(socket.getInputStream().readNBytes(9), ISO_8859_1))
            .isEqualTo("4\r\nhalf\r\n");
        client.reset(1);
        assertThat(RunningServer.rest(socket)).isEmpty();
      }
    }
  }

  @Test
  void expectContinue_originSendsNo100_getsTheBody() throws IOException {
    try (Socket client = proxy.connect()) {
      send(client, EXPECTING + "Content-Length: 5\r\n\r\n");
      try (Socket socket = accept()) {
        RawOrigin.readHead(socket);
        RawOrigin.readHead(client);
        send(client, "hello");
        assertThat(new String(socket.getInputStream().readNBytes(5), ISO_8859_1))
            .isEqualTo("hello");
        // Too late to have an effect.
        send(socket, "HTTP/1.1 100 Continue\r\n\r\n" + OK);
        assertThat(RunningServer.rest(client)).startsWith("HTTP/1.1 200").endsWith("ok");
      }
    }
  }

  @Test
  void expectContinue_originSends100Twice_clientGetsOne() throws IOException {
    try (Socket client = proxy.connect()) {
      send(client, EXPECTING + "Content-Length: 5\r\n\r\n");
      try (Socket socket = accept()) {
        RawOrigin.readHead(socket);
        send(socket, "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n");
        RawOrigin.readHead(client);
        send(client, "hello");
        assertThat(new String(socket.getInputStream().readNBytes(5), ISO_8859_1))
            .isEqualTo("hello");
        send(socket, OK);
        assertThat(RunningServer.rest(client)).startsWith("HTTP/1.1 200").endsWith("ok");
      }
    }
  }

  private Socket accept() throws IOException {
    Socket socket = origin.accept();
    socket.setSoTimeout(PATIENCE_MILLIS);
    return socket;
  }

  private static void send(Socket to, String bytes) throws IOException {
    to.getOutputStream().write(bytes.getBytes(ISO_8859_1));
  }
}
