package io.penstock.cli;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.redis.RedisProcess;
import io.penstock.testing.Ports;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks that tokens are refunded in Redis when the origin is unavailable. */
@Tag("full")
class ProxyRefundIT {
  private static final String POLICY =
      """
      rules:
        - {name: kind, limit_keys: [], rate: 1/h, burst: 2, refund_on_upstream_error: true}
        - {name: strict, limit_keys: ["ip:address"], rate: 1/h, burst: 100}
      """;

  @TempDir Path folder;

  @Test
  void originUnavailable_tokensInRedisAreRefunded() throws Exception {
    Path policy = Files.writeString(folder.resolve("policy.yaml"), POLICY);
    int port = Ports.free();
    try (RedisProcess redis = RedisProcess.start();
        Service service =
            Service.start(
                folder,
                "--policy=" + policy,
                "--redis=" + redis.url(),
                "--redis-deadline-ms=5000",
                "--upstream=http://127.0.0.1:" + Ports.free(),
                "--proxy-host=127.0.0.1",
                "--proxy-port=" + port)) {
      await("Redis is connected").until(() -> !service.isDegraded());
      URI proxy = URI.create("http://127.0.0.1:" + port + "/");
      for (int i = 1; i <= 5; i++) {
        assertThat(service.send(HttpRequest.newBuilder(proxy)).statusCode()).isEqualTo(502);
        await("refunded").until(() -> peek(service, "kind", "{}").contains("\"remaining\":2"));
        assertThat(peek(service, "strict", "{\"ip:address\":\"127.0.0.1\"}"))
            .contains("\"remaining\":" + (100 - i));
      }
    }
  }

  private static String peek(Service service, String rule, String key) {
    return service.adminPost("/v1/keys/peek", "{\"rule\":\"" + rule + "\",\"key\":" + key + "}");
  }
}
