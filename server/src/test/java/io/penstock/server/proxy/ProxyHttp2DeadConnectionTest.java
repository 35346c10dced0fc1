package io.penstock.server.proxy;

import static io.penstock.server.proxy.Http2Frames.GO_AWAY;
import static io.penstock.server.proxy.Http2Frames.PING;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.Setting;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A request that follows the failure of an HTTP/2 connection gets a new connection. */
final class ProxyHttp2DeadConnectionTest {
  private static final int TIMES = 50;
  private static final String GET = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
  private static final String POST =
      "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello";

  @TempDir private Path folder;

  /** How the origin ends a connection instead of responding. */
  private enum ConnectionFault {
    /** A PING on a stream, which is an error of the connection. */
    PROTOCOL_ERROR {
      @Override
      void send(Http2Frames proxy, int stream) throws IOException {
        proxy.write(PING, 0, stream, new byte[8]);
      }
    },
    GO_AWAY_BEFORE {
      @Override
      void send(Http2Frames proxy, int stream) throws IOException {
        byte[] payload = ByteBuffer.allocate(8).putInt(stream - 2).putInt(2).array();
        proxy.write(GO_AWAY, 0, 0, payload);
      }
    };

    abstract void send(Http2Frames proxy, int stream) throws IOException;
  }

  @ParameterizedTest
  @EnumSource
  void connection_thatFailed_isNotUsedForTheNextRequest(ConnectionFault fault) throws Exception {
    try (SocketOrigin origin =
            SocketOrigin.http2(
                (frames, stream) -> {
                  if (stream == 1) {
                    frames.head(stream, true, ":status", "204");
                  } else {
                    fault.send(frames, stream);
                  }
                });
        ProxyFixture proxy =
            new ProxyFixture(
                folder,
                ProxyFixture.UNLIMITED,
                origin.url(),
                Map.of(Setting.UPSTREAM_CONNECTIONS, "1", Setting.UPSTREAM_HTTP2, "true"))) {
      for (int i = 1; i <= TIMES; i++) {
        assertThat(proxy.raw(i % 2 == 0 ? POST : GET)).startsWith("HTTP/1.1 204");
        assertThat(proxy.raw(GET)).startsWith("HTTP/1.1 502");
        assertThat(origin.accepted()).isEqualTo(i);
      }
    }
  }
}
