package io.penstock.server.hostile;

import static io.penstock.testing.Waiting.await;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.Setting;
import io.penstock.server.hostile.Listeners.Listener;
import io.penstock.server.proxy.Http2Frames;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients with persistent connections lose no request when the process shuts down. */
class ShutdownTest {
  private static final int CLIENTS = 10;
  private static final String ASK = "GET /v1/forward-auth HTTP/1.1\r\nHost: a\r\n\r\n";

  @TempDir private Path folder;

  @Test
  void close_persistentConnections_getOneMoreResponseAndAreClosed() throws Exception {
    Listeners listeners = new Listeners(folder, Map.of(Setting.SHUTDOWN_MS, "300000"));
    List<Socket> kept = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      Socket socket = listeners.connect(i % 2 == 0 ? Listener.DECISION : Listener.PROXY);
      assertThat(ask(socket)).startsWith("HTTP/1.1 200").doesNotContainIgnoringCase("close");
      kept.add(socket);
    }
    Http2Frames http2 = listeners.connectHttp2(Listener.PROXY);
    http2.get(1, true);
    assertThat(http2.next(Http2Frames.HEADERS)).isNotNull();

    Thread closing = new Thread(listeners::close);
    closing.start();
    await()
        .until(() -> !accepts(listeners, Listener.DECISION) && !accepts(listeners, Listener.PROXY));

    for (Socket socket : kept) {
      assertThat(ask(socket)).startsWith("HTTP/1.1 200").containsIgnoringCase("connection: close");
      assertThat(socket.getInputStream().read()).isNegative();
      socket.close();
    }
    assertThat(http2.next(Http2Frames.GO_AWAY)).isNotNull();
    http2.get(3, true);
    assertThat(http2.next(Http2Frames.HEADERS).stream()).isEqualTo(3);
    http2.close();
    closing.join();
  }

  private static boolean accepts(Listeners listeners, Listener listener) {
    try (Socket socket = listeners.connect(listener)) {
      return socket.isConnected();
    } catch (IOException rejected) {
      return false;
    }
  }

  /** Sends a request, and reads the whole response. */
  private static String ask(Socket socket) throws IOException {
    socket.getOutputStream().write(ASK.getBytes(ISO_8859_1));
    InputStream in = socket.getInputStream();
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int next = in.read();
      assertThat(next).as("what follows %s", head).isNotNegative();
      head.append((char) next);
    }
    int length = head.toString().toLowerCase(java.util.Locale.ROOT).indexOf("content-length: ");
    if (length >= 0) {
      int end = head.indexOf("\r\n", length);
      in.readNBytes(Integer.parseInt(head.substring(length + 16, end)));
    }
    return head.toString();
  }
}
