package io.penstock.server.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.server.RunningServer;
import io.penstock.server.proxy.Http2Frames.Frame;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A response that the origin aborts never looks complete to a client. */
final class ProxyTruncationTest {
  private static final int INTERNAL_ERROR = 2;

  @TempDir private Path folder;

  @Test
  void response_abortedByTheOrigin_resetsTheStreamWithAnError() throws Exception {
    try (SocketOrigin origin =
            new SocketOrigin(
                (head, connection) -> {
                  connection.send(
                      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7\r\nPARTIAL\r\n");
                  throw new IOException("broken off");
                });
        ProxyFixture proxy =
            new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url(), Map.of());
        Http2Frames client = new Http2Frames(proxy.connect())) {
      client.get(1, true);
      Frame reset = client.next(Http2Frames.RESET);
      assertThat(reset).isNotNull();
      assertThat(reset.number(0)).isEqualTo(INTERNAL_ERROR);
    }
  }

  /**
   * The body of a response without a length ends with the connection, so a FIN would complete it.
   */
  @Test
  void response_abortedByTheOrigin_resetsAnHttp10Connection() throws Exception {
    try (SocketOrigin origin =
            new SocketOrigin(
                (head, connection) -> {
                  connection.send(
                      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7\r\nPARTIAL\r\n");
                  throw new IOException("broken off");
                });
        ProxyFixture proxy = new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url());
        Socket client = proxy.connect()) {
      client.getOutputStream().write("GET / HTTP/1.0\r\nHost: a\r\n\r\n".getBytes(ISO_8859_1));
      assertThatThrownBy(() -> RunningServer.rest(client))
          .isInstanceOf(SocketException.class)
          .hasMessageContaining("reset");
    }
  }

  @Test
  void responseWithALength_abortedByTheOrigin_reachesAnHttp10ClientInPart() throws Exception {
    try (SocketOrigin origin =
            new SocketOrigin(
                (head, connection) -> {
                  connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nPARTIAL");
                  throw new IOException("broken off");
                });
        ProxyFixture proxy = new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url())) {
      assertThat(proxy.raw("GET / HTTP/1.0\r\nHost: a\r\n\r\n"))
          .contains("Content-Length: 9\r\n")
          .endsWith("\r\n\r\nPARTIAL");
    }
  }
}
