package io.penstock.server.proxy;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.Setting;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Connections to one listener don't count against the limits of another. */
class ListenerBudgetsTest {
  private static final int MAX = 20;

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
        await()
            .until(
                () ->
                    metrics(proxy)
                        .contains(
                            "penstock_connections_refused_total{listener=\"proxy\","
                                + "reason=\"listener\"} 1.0"));

        assertThat(proxy.server().check("{}").statusCode()).isEqualTo(200);
        assertThat(metrics(proxy))
            .contains("penstock_connections{listener=\"proxy\"} " + MAX + ".0")
            .contains(
                "penstock_connections_refused_total{listener=\"decision\",reason=\"listener\"}"
                    + " 0.0");
      } finally {
        for (Socket socket : crowd) {
          close(socket);
        }
      }
    }
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
