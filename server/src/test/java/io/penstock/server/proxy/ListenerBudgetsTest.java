package io.penstock.server.proxy;

import static io.penstock.testing.Waiting.await;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.penstock.server.RunningServer;
import io.penstock.server.Setting;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The limits on connections, which each listener counts separately, in total and by address. */
class ListenerBudgetsTest {
  private static final int MAX = 20;
  private static final int PATIENCE_MILLIS = 20_000;
  private static final String GET = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

  @TempDir private Path folder;

  @Test
  void decision_proxyAtItsConnectionLimit_responds() throws Exception {
    List<Socket> crowd = new ArrayList<>();
    try (ProxyFixture proxy =
        new ProxyFixture(
            folder,
            ProxyFixture.UNLIMITED,
            "http://127.0.0.1:1",
            Map.of(Setting.MAX_CONNECTIONS, "" + MAX))) {
      try {
        for (int i = 0; i <= MAX; i++) {
          crowd.add(proxy.connect());
        }
        await().until(() -> metrics(proxy).contains(refused("proxy", "listener") + "1.0"));

        assertThat(proxy.server().check("{}").statusCode()).isEqualTo(200);
        assertThat(metrics(proxy))
            .contains("penstock_connections{listener=\"proxy\"} " + MAX + ".0")
            .contains(refused("decision", "listener") + "0.0");
      } finally {
        for (Socket socket : crowd) {
          close(socket);
        }
      }
    }
  }

  @Test
  void proxy_addressAtItsConnectionLimit_closesTheNextConnection() throws Exception {
    InetAddress address = ownAddress();
    assumeTrue(address != null, "there is a network interface besides loopback");
    try (ProxyFixture proxy =
            new ProxyFixture(
                folder,
                ProxyFixture.UNLIMITED,
                "http://127.0.0.1:1",
                Map.of(Setting.PROXY_HOST, "0.0.0.0", Setting.MAX_CONNECTIONS_PER_ADDRESS, "2"));
        Socket first = new Socket(address, proxy.port());
        Socket second = new Socket(address, proxy.port())) {
      await("both connections")
          .until(() -> metrics(proxy).contains("penstock_connections{listener=\"proxy\"} 2.0"));
      try (Socket third = new Socket(address, proxy.port())) {
        assertThat(isClosed(third)).isTrue();
      }

      assertThat(metrics(proxy)).contains(refused("proxy", "address") + "1.0");
      assertThat(metrics(proxy)).contains(refused("proxy", "listener") + "0.0");
      assertThat(status(first)).startsWith("HTTP/1.1 502");
      assertThat(status(second)).startsWith("HTTP/1.1 502");
      assertThat(proxy.raw(GET)).as("a connection over loopback").startsWith("HTTP/1.1 502");
    }
  }

  /** Returns an IPv4 address of this machine other than loopback; null if it has none. */
  private static @Nullable InetAddress ownAddress() throws IOException {
    return NetworkInterface.networkInterfaces()
        .flatMap(NetworkInterface::inetAddresses)
        .filter(address -> address instanceof Inet4Address && !address.isLoopbackAddress())
        .findFirst()
        .orElse(null);
  }

  private static boolean isClosed(Socket socket) throws IOException {
    socket.setSoTimeout(PATIENCE_MILLIS);
    try {
      return socket.getInputStream().read() < 0;
    } catch (SocketException reset) {
      return true;
    }
  }

  private static String status(Socket socket) throws IOException {
    socket.setSoTimeout(PATIENCE_MILLIS);
    socket.getOutputStream().write(GET.getBytes(ISO_8859_1));
    return RunningServer.rest(socket);
  }

  private static String refused(String listener, String reason) {
    return "penstock_connections_refused_total{listener=\"%s\",reason=\"%s\"} "
        .formatted(listener, reason);
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static String metrics(ProxyFixture proxy) {
    return proxy.server().admin("/metrics").body();
  }
}
