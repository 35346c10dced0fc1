package io.penstock.server.envoy;

import static io.penstock.server.envoy.EnvoyClient.descriptor;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.RunningServer;
import io.penstock.server.Setting;
import io.penstock.server.envoy.proto.service.RateLimitResponse;
import io.penstock.server.envoy.proto.service.RateLimitResponse.Code;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** While Redis is unavailable, each node limits by itself and says so. */
class EnvoyWithoutRedisTest {
  @Test
  void ask_withoutRedis_isLimitedByThisNodeAndLabelled(@TempDir Path folder) throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("envoy.yaml"),
            """
            domain: shop
            descriptors:
              - {key: user, rate_limit: {unit: hour, requests_per_unit: 2}}
              - {key: tenant, rate_limit: {unit: hour, requests_per_unit: 5}}
            """);
    try (RunningServer server =
            RunningServer.with(
                Map.of(
                    Setting.ENVOY,
                    file.toString(),
                    Setting.ENVOY_HOST,
                    "127.0.0.1",
                    Setting.ENVOY_PORT,
                    "0",
                    Setting.REDIS,
                    "redis://127.0.0.1:1"));
        EnvoyClient client = new EnvoyClient(server.server().envoyPort().orElseThrow())) {
      Code[] codes = new Code[3];
      for (int i = 0; i < codes.length; i++) {
        RateLimitResponse response =
            client.ask("shop", descriptor("tenant=acme"), descriptor("user=ann"));
        codes[i] = response.getOverallCode();
        assertThat(response.getResponseHeadersToAddList())
            .extracting(header -> header.getKey() + ": " + header.getValue())
            .containsExactly("Penstock-Degraded: store_unavailable");
      }
      assertThat(codes).containsExactly(Code.OK, Code.OK, Code.OVER_LIMIT);
      assertThat(server.admin("/metrics").body())
          .contains("penstock_degraded_total{reason=\"store_unavailable\",rule=\"shop.user\"} 3.0");
    }
  }
}
