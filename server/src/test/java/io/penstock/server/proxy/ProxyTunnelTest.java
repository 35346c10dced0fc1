package io.penstock.server.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.RunningServer;
import io.penstock.server.Setting;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Bytes that a client sends after a request for a protocol upgrade, before it has the response.
 * They belong to the new protocol and must never be parsed as a request.
 */
final class ProxyTunnelTest {
  private static final int MANY = 4 << 20;
  private static final String GET = "GET /get HTTP/1.1\r\nHost: a\r\n\r\n";
  private static final String UPGRADE =
      "GET /upgrade HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n";
  private static final String REJECTED = UPGRADE.replace("/upgrade", "/rejected");
  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
  private static final String SWITCHED =
      "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n";
  private static final String DENYING =
      """
      rules:
        - name: one
          match: {path: /upgrade}
          limit_keys: ["ip:address"]
          rate: 1/d
          burst: 1
      """;

  @TempDir private Path folder;
  private final List<String> seen = new CopyOnWriteArrayList<>();
  private SocketOrigin origin;
  private ProxyFixture proxy;

  @BeforeEach
  void start() throws IOException {
    origin = new SocketOrigin(this::answer);
    proxy =
        new ProxyFixture(
            folder,
            ProxyFixture.UNLIMITED,
            origin.url(),
            Map.of(Setting.REQUEST_TIMEOUT_MS, "1000"));
  }

  @AfterEach
  void stop() throws IOException {
    proxy.close();
    origin.close();
  }

  /** Switches to a protocol that echoes everything, or responds with 200. */
  private void answer(String head, SocketOrigin.Connection connection) throws IOException {
    seen.add(head.substring(0, head.indexOf(" HTTP")));
    if (!head.startsWith("GET /upgrade")) {
      connection.send(OK);
      return;
    }
    connection.send(SWITCHED);
    connection.socket().getInputStream().transferTo(connection.socket().getOutputStream());
    throw new IOException("closed by the proxy");
  }

  @ParameterizedTest
  @ValueSource(strings = {"hello", "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n", "\r\n", "\u0000"})
  void bytesBehindTheUpgrade_afterThe101_reachTheOrigin(String early) throws IOException {
    try (Socket client = proxy.connect()) {
      send(client, UPGRADE + early);
      assertThat(SocketOrigin.head(client)).startsWith("HTTP/1.1 101 ");
      assertThat(read(client, early.length())).isEqualTo(early);
      send(client, "more");
      assertThat(read(client, 4)).isEqualTo("more");
    }
    assertThat(seen).containsExactly("GET /upgrade");
  }

  @Test
  void bytesBehindAPipelinedUpgrade_reachTheOrigin() throws IOException {
    try (Socket client = proxy.connect()) {
      send(client, GET + UPGRADE + "hello");
      assertThat(SocketOrigin.head(client)).startsWith("HTTP/1.1 200 ");
      assertThat(read(client, 2)).isEqualTo("ok");
      assertThat(SocketOrigin.head(client)).startsWith("HTTP/1.1 101 ");
      assertThat(read(client, 5)).isEqualTo("hello");
    }
    assertThat(seen).containsExactly("GET /get", "GET /upgrade");
  }

  /** More than the proxy holds, so it stops reading, and must continue after the 101. */
  @Test
  void manyBytesBehindTheUpgrade_reachTheOriginInOrder() throws Exception {
    StringBuilder many = new StringBuilder(UPGRADE);
    for (int i = 0; many.length() < MANY; i++) {
      many.append(i).append('\n');
    }
    try (Socket client = proxy.connect()) {
      Thread sender =
          new Thread(
              () -> {
                try {
                  send(client, many.toString());
                } catch (IOException closed) {
                  // The assertions below fail.
                }
              });
      sender.start();
      assertThat(SocketOrigin.head(client)).startsWith("HTTP/1.1 101 ");
      String expected = many.substring(UPGRADE.length());
      assertThat(read(client, expected.length()).equals(expected)).isTrue();
      sender.join();
    }
  }

  /** Bytes behind an upgrade are not the beginning of a request, so its timeout doesn't apply. */
  @Test
  void tunnelWithEarlyBytes_hasNoTimeoutForRequests() throws IOException {
    try (Socket client = proxy.connect()) {
      send(client, UPGRADE + "hello");
      assertThat(SocketOrigin.head(client)).startsWith("HTTP/1.1 101 ");
      assertThat(read(client, 5)).isEqualTo("hello");
      // A timeout of the first connection would expire before that of a second one.
      assertThat(proxy.raw("GET ")).startsWith("HTTP/1.1 408 ");
      send(client, "more");
      assertThat(read(client, 4)).isEqualTo("more");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"hello", "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n", "\r\n"})
  void bytesBehindARejectedUpgrade_areDiscardedAndTheConnectionIsClosed(String early)
      throws IOException {
    assertThat(proxy.raw(REJECTED + early))
        .startsWith("HTTP/1.1 200 ")
        .containsIgnoringCase("\r\nconnection: close\r\n")
        .endsWith("\r\n\r\nok");
    assertThat(proxy.raw(GET + REJECTED + early)).matches("(?s)HTTP/1.1 200 .*HTTP/1.1 200 .*ok");
    assertThat(seen).containsExactly("GET /rejected", "GET /get", "GET /rejected");
  }

  @Test
  void bytesBehindADeniedUpgrade_areDiscardedAndTheConnectionIsClosed() throws IOException {
    try (ProxyFixture denying = new ProxyFixture(folder, DENYING, origin.url());
        Socket client = denying.connect()) {
      send(client, UPGRADE);
      assertThat(SocketOrigin.head(client)).startsWith("HTTP/1.1 101 ");
      String denied = denying.raw(UPGRADE + GET);
      assertThat(denied).startsWith("HTTP/1.1 429 ");
      assertThat(denied.split("HTTP/1.1 ", -1)).hasSize(2);
    }
    assertThat(seen).containsExactly("GET /upgrade");
  }

  @Test
  void rejectedUpgrade_withoutFurtherBytes_keepsTheConnection() throws IOException {
    try (Socket client = proxy.connect()) {
      for (int i = 0; i < 2; i++) {
        send(client, REJECTED);
        assertThat(SocketOrigin.head(client)).startsWith("HTTP/1.1 200 ");
        assertThat(read(client, 2)).isEqualTo("ok");
      }
      send(client, GET.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
      assertThat(RunningServer.rest(client)).startsWith("HTTP/1.1 200 ").endsWith("ok");
    }
    assertThat(seen).containsExactly("GET /rejected", "GET /rejected", "GET /get");
  }

  private static void send(Socket to, String bytes) throws IOException {
    to.getOutputStream().write(bytes.getBytes(ISO_8859_1));
  }

  private static String read(Socket from, int length) throws IOException {
    return new String(from.getInputStream().readNBytes(length), ISO_8859_1);
  }
}
