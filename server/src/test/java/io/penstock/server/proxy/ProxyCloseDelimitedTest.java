package io.penstock.server.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Responses that end when the origin closes its connection, read by a slow client. */
final class ProxyCloseDelimitedTest {
  private static final int SIZE = 4 << 20;
  private static final int PART = 256 << 10;
  private static final int LOOKS = 100;
  private static final int PATIENCE_MILLIS = 20_000;

  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.0 200 OK\r\n",
        "HTTP/1.1 200 OK\r\n",
        "HTTP/1.1 200 OK\r\nConnection: close\r\n",
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: " + SIZE + "\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: " + SIZE + "\r\n"
      })
  void response_closeDelimited_reachesASlowClientCompletely(String head) throws Exception {
    try (SocketOrigin origin =
            new SocketOrigin(
                (request, connection) -> {
                  connection.send(head + "\r\n" + "a".repeat(SIZE));
                  throw new IOException("closed");
                });
        ProxyFixture proxy = new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url());
        Socket client = slowClient(proxy.port())) {
      client.getOutputStream().write("GET / HTTP/1.0\r\nHost: a\r\n\r\n".getBytes(ISO_8859_1));
      String answer = read(client.getInputStream(), origin);
      String body = answer.substring(answer.indexOf("\r\n\r\n") + 4);
      assertThat(body.length()).isEqualTo(SIZE);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, SIZE})
  void response_tooShort_isDetectablyIncomplete(int missing) throws Exception {
    try (SocketOrigin origin =
            new SocketOrigin(
                (request, connection) -> {
                  connection.send(
                      "HTTP/1.1 200 OK\r\nContent-Length: "
                          + (SIZE + missing)
                          + "\r\n\r\n"
                          + "a".repeat(SIZE));
                  throw new IOException("closed");
                });
        ProxyFixture proxy = new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url());
        Socket client = slowClient(proxy.port())) {
      client.getOutputStream().write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(ISO_8859_1));
      String answer = read(client.getInputStream(), origin);
      assertThat(answer).startsWith("HTTP/1.1 200").contains("Content-Length: " + (SIZE + missing));
      assertThat(answer.length()).isLessThan(SIZE + 1_000);
    }
  }

  /** Reads little until the origin has closed, then the rest until the proxy closes. */
  private static String read(InputStream in, SocketOrigin origin) throws Exception {
    ByteArrayOutputStream read = new ByteArrayOutputStream();
    read.writeBytes(in.readNBytes(1));
    while (origin.open() > 0) {
      for (int look = 0; look < LOOKS && origin.open() > 0; look++) {
        LockSupport.parkNanos(10_000_000);
      }
      if (origin.open() > 0) {
        // The buffers are smaller than the response: the origin can't finish before this is read.
        read.writeBytes(in.readNBytes(PART));
      }
    }
    in.transferTo(read);
    return read.toString(ISO_8859_1);
  }

  private static Socket slowClient(int port) throws IOException {
    Socket socket = new Socket();
    socket.setReceiveBufferSize(4 << 10);
    socket.setSoTimeout(PATIENCE_MILLIS);
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    return socket;
  }
}
