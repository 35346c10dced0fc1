package io.penstock.server.proxy;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.proxy.Http2Frames.Frame;
import java.io.IOException;
import java.net.SocketException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The limits of one HTTP/2 connection, and what happens when they are exceeded. */
final class ProxyHttp2LimitsTest {
  private static final int MAX_STREAMS = 100;
  private static final int REFUSED_STREAM = 7;
  private static final int ENHANCE_YOUR_CALM = 11;
  private static final int MAX_CONCURRENT_STREAMS = 3;

  @TempDir private Path folder;
  private TestOrigin origin;
  private ProxyFixture proxy;

  @BeforeEach
  void start() {
    origin =
        new TestOrigin(
            request -> {
              if (!request.path().equals("/")) {
                request.response().end("ok");
              }
            });
    proxy = new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url());
  }

  @AfterEach
  void stillWorksAndNothingIsLeft() throws Exception {
    try {
      assertThat(proxy.raw("GET /ok HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"))
          .startsWith("HTTP/1.1 200");
      await().until(() -> proxy.metric("penstock_proxy_in_flight") == 0);
    } finally {
      proxy.close();
      origin.close();
    }
  }

  @Test
  void resets_tooMany_closeTheConnection() throws IOException {
    try (Http2Frames client = new Http2Frames(proxy.connect())) {
      try {
        for (int stream = 1; stream < 4_000; stream += 2) {
          client.get(stream, true);
          client.reset(stream);
        }
      } catch (SocketException closedByThen) {
        // The connection was closed before all resets were sent.
      }
      Frame end = client.next(Http2Frames.GO_AWAY);
      if (end != null) {
        assertThat(end.number(4)).isEqualTo(ENHANCE_YOUR_CALM);
        assertThat(client.next(Http2Frames.GO_AWAY)).isNull();
      }
    }
    assertThat(origin.reached()).isLessThan(300);
  }

  @Test
  void streams_tooMany_areRejectedAndTheOthersContinue() throws Exception {
    try (Http2Frames client = new Http2Frames(proxy.connect())) {
      assertThat(mostStreams(client.next(Http2Frames.SETTINGS))).isEqualTo(MAX_STREAMS);
      for (int i = 0; i <= MAX_STREAMS; i++) {
        client.get(2 * i + 1, true);
      }
      Frame rejected = client.next(Http2Frames.RESET);
      assertThat(rejected).isNotNull();
      assertThat(rejected.stream()).isEqualTo(2 * MAX_STREAMS + 1);
      assertThat(rejected.number(0)).isEqualTo(REFUSED_STREAM);
      await().until(() -> origin.reached() == MAX_STREAMS);
    }
  }

  private static int mostStreams(Frame settings) {
    for (int at = 0; at < settings.payload().capacity(); at += 6) {
      if (settings.payload().get(at + 1) == MAX_CONCURRENT_STREAMS) {
        return settings.number(at + 2);
      }
    }
    return Integer.MAX_VALUE;
  }
}
