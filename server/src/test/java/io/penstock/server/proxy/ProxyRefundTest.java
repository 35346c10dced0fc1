package io.penstock.server.proxy;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.Setting;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Refunds of requests that could not be served. */
final class ProxyRefundTest {
  private static final String GET = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
  private static final String POLICY =
      """
      rules:
        - name: kind
          limit_keys: ["ip:address"]
          rate: 1/h
          burst: 3
          fixed_cost: 2
          refund_on_upstream_error: true
        - name: strict
          limit_keys: []
          rate: 1/h
          burst: 100
      """;

  @TempDir private Path folder;

  @Test
  void originUnreachable_rulesWithRefund_refundExactlyTheCharge() throws IOException {
    try (ProxyFixture proxy = new ProxyFixture(folder, POLICY, nobody())) {
      for (int i = 0; i < 5; i++) {
        assertThat(proxy.raw(GET)).startsWith("HTTP/1.1 502");
      }
      assertThat(peek(proxy, "kind", "127.0.0.1")).contains("\"remaining\":3");
      assertThat(peek(proxy, "strict", null)).contains("\"remaining\":95");
      assertThat(proxy.server().admin("/metrics").body())
          .contains("penstock_proxy_refunded_total 5.0");
    }
  }

  @Test
  void originAborts_nothingIsRefunded() throws Exception {
    try (ServerSocket origin = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        ProxyFixture proxy =
            new ProxyFixture(folder, POLICY, "http://127.0.0.1:" + origin.getLocalPort())) {
      Thread serving =
          new Thread(
              () -> {
                try (Socket socket = origin.accept()) {
                  RawOrigin.readHead(socket);
                } catch (IOException ended) {
                  // The assertions of the test will fail.
                }
              });
      serving.start();
      assertThat(proxy.raw(GET)).startsWith("HTTP/1.1 502");
      assertThat(proxy.raw(GET)).startsWith("HTTP/1.1 429");
      serving.join();
    }
  }

  @Test
  void queueFull_isRefunded() throws Exception {
    try (ServerSocket origin = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        ProxyFixture proxy =
            new ProxyFixture(
                folder,
                POLICY.replace("burst: 3", "burst: 4"),
                "http://127.0.0.1:" + origin.getLocalPort(),
                Map.of(Setting.UPSTREAM_CONNECTIONS, "1", Setting.UPSTREAM_QUEUE, "0"));
        Socket first = proxy.connect()) {
      first.getOutputStream().write(GET.getBytes(StandardCharsets.US_ASCII));
      try (Socket accepted = origin.accept()) {
        assertThat(accepted.getInputStream().read()).isEqualTo('G');
        assertThat(proxy.raw(GET)).startsWith("HTTP/1.1 503");
        assertThat(peek(proxy, "kind", "127.0.0.1")).contains("\"remaining\":2");
      }
    }
  }

  @Test
  void clientDisconnectsWhileHeld_isRefunded() throws Exception {
    String delaying =
        """
        rules:
          - {name: slow, limit_keys: [], rate: 1/h, burst: 1, on_limit: delay, max_delay_ms: 600000}
        """
            .replace("1/h", "1/5min");
    try (TestOrigin origin = new TestOrigin(request -> request.response().end());
        ProxyFixture proxy = new ProxyFixture(folder, delaying, origin.url())) {
      assertThat(proxy.raw(GET)).startsWith("HTTP/1.1 200");
      try (Socket held = proxy.connect()) {
        held.getOutputStream().write(GET.getBytes(StandardCharsets.US_ASCII));
        await().until(() -> proxy.metric("penstock_proxy_held") == 1);
      }
      await().until(() -> proxy.metric("penstock_proxy_held") == 0);
      await().until(() -> proxy.metric("penstock_proxy_in_flight") == 0);
      assertThat(peek(proxy, "slow", null)).doesNotContain("\"reset_after_ms\":6");
      assertThat(origin.reached()).isEqualTo(1);
    }
  }

  @Test
  void tooManyDelayed_isDeniedAndRefunded() throws Exception {
    String delaying =
        """
        rules:
          - {name: slow, limit_keys: [], rate: 1/5min, burst: 1, on_limit: delay, max_delay_ms: 600000}
        """;
    try (TestOrigin origin = new TestOrigin(request -> request.response().end());
        ProxyFixture proxy =
            new ProxyFixture(folder, delaying, origin.url(), Map.of(Setting.MAX_DELAYED, "0"))) {
      assertThat(proxy.raw(GET)).startsWith("HTTP/1.1 200");
      for (int i = 0; i < 3; i++) {
        assertThat(proxy.raw(GET))
            .startsWith("HTTP/1.1 429")
            .contains("X-Penstock-Reason: token_bucket_exceeded", "Retry-After: ");
      }
      assertThat(peek(proxy, "slow", null)).doesNotContain("\"reset_after_ms\":6");
      assertThat(origin.reached()).isEqualTo(1);
      String counter = "penstock_decisions_total{mode=\"enforce\",outcome=";
      assertThat(proxy.server().admin("/metrics").body())
          .contains(counter + "\"allowed\",rule=\"slow\"} 1.0")
          .contains(counter + "\"denied\",rule=\"slow\"} 3.0");
    }
  }

  private static String nobody() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return "http://127.0.0.1:" + socket.getLocalPort();
    }
  }

  private static String peek(ProxyFixture proxy, String rule, String address) {
    String key = address == null ? "{}" : "{\"ip:address\":\"" + address + "\"}";
    return proxy
        .server()
        .admin("/v1/keys/peek", "{\"rule\":\"" + rule + "\",\"key\":" + key + "}")
        .body();
  }
}
