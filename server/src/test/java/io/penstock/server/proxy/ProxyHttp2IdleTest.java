package io.penstock.server.proxy;

import static io.penstock.testing.Waiting.await;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.RunningServer;
import io.penstock.server.Setting;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An exchange that stalls ends, although other streams keep its connection busy. */
final class ProxyHttp2IdleTest {
  private static final String GET = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

  @TempDir private Path folder;

  /** What the origin sends before it stalls, and what the client gets. */
  private enum Beginning {
    INTERIM_RESPONSE(Setting.UPSTREAM_FIRST_BYTE_MS, "HTTP/1.1 504 Gateway Timeout\r\n"),
    HEAD(Setting.UPSTREAM_IDLE_MS, "HTTP/1.1 200 OK\r\n"),
    PART_OF_THE_BODY(Setting.UPSTREAM_IDLE_MS, "HTTP/1.1 200 OK\r\n");

    private final Setting timeout;
    private final String status;

    Beginning(Setting timeout, String status) {
      this.timeout = timeout;
      this.status = status;
    }

    void send(Http2Frames proxy, int stream) throws IOException {
      if (this == INTERIM_RESPONSE) {
        proxy.head(stream, false, ":status", "103");
        return;
      }
      proxy.head(stream, false, ":status", "200", "content-length", "100");
      if (this == PART_OF_THE_BODY) {
        proxy.write(Http2Frames.DATA, 0, stream, "half".getBytes(ISO_8859_1));
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void originStalls_otherStreamsAreActive_theExchangeEnds(Beginning beginning) throws Exception {
    CompletableFuture<Void> stalls = new CompletableFuture<>();
    try (SocketOrigin origin =
            SocketOrigin.http2(
                (frames, stream) -> {
                  if (stream == 1) {
                    beginning.send(frames, stream);
                    stalls.complete(null);
                  } else {
                    frames.head(stream, true, ":status", "204");
                  }
                });
        ProxyFixture proxy =
            new ProxyFixture(
                folder,
                ProxyFixture.UNLIMITED,
                origin.url(),
                Map.of(
                    Setting.UPSTREAM_HTTP2,
                    "true",
                    Setting.UPSTREAM_CONNECTIONS,
                    "1",
                    beginning.timeout,
                    "1500"));
        Socket client = proxy.connect()) {
      client.getOutputStream().write(GET.getBytes(ISO_8859_1));
      stalls.join();
      CompletableFuture<String> stalled = CompletableFuture.supplyAsync(() -> rest(client));
      while (!stalled.isDone()) {
        proxy.raw(GET);
      }
      assertThat(stalled.join()).contains(beginning.status);
      await().until(() -> proxy.metric("penstock_proxy_in_flight") == 0);
    }
  }

  private static String rest(Socket client) {
    try {
      return RunningServer.rest(client);
    } catch (IOException e) {
      throw new CompletionException(e);
    }
  }
}
