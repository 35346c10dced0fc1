package io.penstock.server.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.RunningServer;
import io.penstock.server.Setting;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Responses of the proxy while Redis is unavailable. */
final class ProxyDegradedTest {
  private static final String POLICY =
      """
      rules:
        - {name: local, limit_keys: ["ip:address"], match: {path: /local}, rate: 1/h, burst: 1}
        - name: closed
          limit_keys: ["ip:address"]
          match: {path: /closed}
          rate: 1/h
          on_store_failure: closed
      """;

  @TempDir private Path folder;

  @Test
  void request_degraded_hasTheReasonInAHeader() throws Exception {
    try (SocketOrigin origin =
            new SocketOrigin(
                (head, connection) ->
                    connection.send(
                        "HTTP/1.1 204 No Content\r\nPenstock-Degraded: origin\r\n\r\n"));
        ProxyFixture proxy =
            new ProxyFixture(
                folder, POLICY, origin.url(), Map.of(Setting.REDIS, "redis://127.0.0.1:1"))) {
      assertDegraded(proxy, "/local", 204);
      assertDegraded(proxy, "/local", 429);
      assertDegraded(proxy, "/closed", 503);
    }
  }

  @Test
  void request_exempt_isNotDegraded() throws Exception {
    try (SocketOrigin origin =
            new SocketOrigin(
                (head, connection) -> connection.send("HTTP/1.1 204 No Content\r\n\r\n"));
        ProxyFixture proxy =
            new ProxyFixture(
                folder, POLICY, origin.url(), Map.of(Setting.REDIS, "redis://127.0.0.1:1"))) {
      assertThat(
              RunningServer.send(proxy.request("/unlimited"))
                  .headers()
                  .allValues("Penstock-Degraded"))
          .isEmpty();
    }
  }

  private static void assertDegraded(ProxyFixture proxy, String target, int status) {
    HttpResponse<String> response = RunningServer.send(proxy.request(target));
    assertThat(response.statusCode()).as(target).isEqualTo(status);
    assertThat(response.headers().allValues("Penstock-Degraded"))
        .as(target)
        .containsExactly("store_unavailable");
  }
}
