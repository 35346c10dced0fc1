package io.penstock.server.proxy;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Trailers of responses that an HTTP/2 client does not read completely. */
final class ProxyTrailersTest {
  private static final String HEAD = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

  @TempDir private Path folder;

  @Test
  void trailers_clientResetsBeforeItsWindowOpens_nothingFails() throws Exception {
    LoggedWarnings warnings = new LoggedWarnings();
    try (warnings;
        SocketOrigin origin =
            new SocketOrigin(
                (head, connection) ->
                    connection.send(HEAD + "5\r\nhello\r\n5\r\nworld\r\n0\r\nx: y\r\n\r\n"));
        ProxyFixture proxy = new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url());
        Http2Frames client = new Http2Frames(proxy.connect())) {
      // INITIAL_WINDOW_SIZE is 2.
      client.write(Http2Frames.SETTINGS, 0, 0, new byte[] {0, 4, 0, 0, 0, 2});
      for (int stream = 1; stream < 10; stream += 2) {
        client.get(stream, true);
        client.next(Http2Frames.DATA);
        await().until(() -> origin.open() == 1);
        client.reset(stream);
      }
      client.write(Http2Frames.PING, 0, 0, new byte[8]);
      client.next(Http2Frames.PING);
    }
    assertThat(warnings.messages()).isEmpty();
  }
}
