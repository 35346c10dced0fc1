package io.penstock.cli;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.redis.RedisProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks that a service reports its leases, and returns unused tokens of an idle key. */
@Tag("full")
class LeasedServiceIT {
  private static final int BURST = 1_000;

  @TempDir Path folder;

  @Test
  void serve_leasedKey_appearsInMetricsAndExplanations() throws Exception {
    String policy =
        Files.writeString(
                folder.resolve("policy.yaml"),
                "{name: all, limit_keys: [], rate: 1/h, burst: "
                    + BURST
                    + ", consistency: leased, on_store_failure: closed}\n")
            .toString();
    try (RedisProcess redis = RedisProcess.start();
        Service one = service(policy, redis);
        Service two = service(policy, redis)) {
      int[] allowed = {0};
      await("leased")
          .until(
              () -> {
                for (int i = 0; i < 10; i++) {
                  allowed[0] += one.check("{}").contains("\"allowed\":true") ? 1 : 0;
                }
                return one.adminPost("/v1/explain", "{}").contains("\"leased\":true");
              });
      assertThat(one.metric("penstock_store_lease_taken_total")).isPositive();
      assertThat(two.adminPost("/v1/explain", "{}"))
          .contains("\"consistency\":\"leased\",\"leased\":false");
      await("returned when idle")
          .until(
              () ->
                  two.adminPost("/v1/explain", "{}")
                      .contains("\"before\":" + (BURST - allowed[0])));
      await("none held").until(() -> one.metric("penstock_store_lease_keys") == 0);
      assertThat(one.metric("penstock_store_lease_unspent")).isZero();
      assertThat(one.metric("penstock_store_lease_under_grant")).isZero();
    }
  }

  private Service service(String policy, RedisProcess redis) {
    return Service.start(
        folder, "--policy", policy, "--redis", redis.url(), "--redis-deadline-ms", "5000");
  }
}
