package io.penstock.server.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.proxy.Http2Frames.Frame;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Responses over HTTP/2 to incomplete uploads. The proxy resets the upload only after the client
 * has received the whole response, however small its window is.
 */
final class ProxyEarlyResponseTest {
  private static final String ONE =
      """
      rules:
        - {name: one, limit_keys: [], rate: 1/h, burst: 1}
      """;
  private static final String HEAD = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  private static final int WINDOW = 2;
  private static final int NO_ERROR = 0;

  @TempDir private Path folder;

  @Test
  void origin_respondsEarly_responseIsComplete() throws Exception {
    try (SocketOrigin origin =
            new SocketOrigin(
                (head, connection) ->
                    connection.send(HEAD + "5\r\nhello\r\n5\r\nworld\r\n0\r\n\r\n"));
        ProxyFixture proxy = new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url())) {
      assertThat(bodyOfUpload(proxy)).isEqualTo("helloworld");
    }
  }

  @Test
  void denied_responseIsComplete() throws Exception {
    try (ProxyFixture proxy = new ProxyFixture(folder, ONE, "http://127.0.0.1:1")) {
      proxy.raw("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
      assertThat(bodyOfUpload(proxy)).startsWith("{").endsWith("}");
    }
  }

  @Test
  void unreachable_responseIsComplete() throws Exception {
    try (ProxyFixture proxy =
        new ProxyFixture(folder, ProxyFixture.UNLIMITED, "http://127.0.0.1:1")) {
      assertThat(bodyOfUpload(proxy)).startsWith("{").endsWith("}");
    }
  }

  /** Returns the response body of an endless upload, read a few bytes at a time. */
  private static String bodyOfUpload(ProxyFixture proxy) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    try (Http2Frames client = new Http2Frames(proxy.connect())) {
      client.write(Http2Frames.SETTINGS, 0, 0, new byte[] {0, 4, 0, 0, 0, WINDOW});
      client.get(1, false);
      client.write(Http2Frames.DATA, 0, 1, new byte[1]);
      Frame frame = client.nextOf(Http2Frames.DATA, Http2Frames.RESET);
      while (frame != null && frame.type() == Http2Frames.DATA) {
        body.writeBytes(frame.payload().array());
        if ((frame.flags() & Http2Frames.END_STREAM) == 0) {
          client.write(
              Http2Frames.WINDOW_UPDATE, 0, 1, ByteBuffer.allocate(4).putInt(WINDOW).array());
        }
        frame = client.nextOf(Http2Frames.DATA, Http2Frames.RESET);
      }
      assertThat(frame).isNotNull();
      assertThat(frame.number(0)).isEqualTo(NO_ERROR);
    }
    return body.toString(ISO_8859_1);
  }
}
