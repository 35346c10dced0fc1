package io.penstock.server.proxy;

import static io.penstock.testing.Waiting.await;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Clients that leave a WebSocket or another tunnel. This is normal, so nothing is logged. */
final class ProxyTunnelCloseTest {
  private static final int TIMES = 10;
  private static final String UPGRADE =
      "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
  private static final byte[] SWITCHING =
      "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
          .getBytes(ISO_8859_1);

  @TempDir private Path folder;

  private enum Leaving {
    CLOSE_AT_ONCE,
    RESET_AT_ONCE,
    CLOSE,
    RESET,
    CLOSE_WHILE_ORIGIN_SENDS,
    RESET_WHILE_ORIGIN_SENDS,
    RESET_WHILE_SENDING
  }

  @ParameterizedTest
  @EnumSource
  void clientLeaves_isNotLogged(Leaving leaving) throws Exception {
    try (LoggedWarnings warnings = LoggedWarnings.filtered();
        SocketOrigin origin =
            new SocketOrigin((head, connection) -> serve(connection.socket(), leaving));
        ProxyFixture proxy = new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url())) {
      for (int i = 0; i < TIMES; i++) {
        try (Socket client = proxy.connect()) {
          client.getOutputStream().write(UPGRADE.getBytes(ISO_8859_1));
          if (!leaving.name().endsWith("AT_ONCE")) {
            RawOrigin.readHead(client);
          }
          if (leaving == Leaving.RESET_WHILE_SENDING) {
            client.getOutputStream().write(new byte[1 << 20]);
          }
          client.setSoLinger(leaving.name().startsWith("RESET"), 0);
        }
      }
      await("tunnels closed").until(() -> origin.open() == 0);
      assertThat(warnings.messages()).isEmpty();
    }
  }

  private static void serve(Socket socket, Leaving leaving) throws IOException {
    socket.getOutputStream().write(SWITCHING);
    byte[] part = new byte[1 << 16];
    if (leaving.name().endsWith("ORIGIN_SENDS")) {
      while (true) {
        socket.getOutputStream().write(part);
      }
    }
    while (socket.getInputStream().read(part) >= 0) {
      // Until the proxy closes the tunnel.
    }
    throw new IOException("closed");
  }
}
