package io.penstock.samples;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.redis.RedisProcess;
import io.penstock.samples.RunningSample.Client;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two samples on a real Redis: one with a Penstock URL, one with Spring's connection factory. */
class RedisIT {
  private static final String POLICY =
      """
      rules:
        - {name: tea, limit_keys: ["ip:address"], match: {path: /tea}, rate: 1/h, burst: 4}
        - {name: orders, limit_keys: [user_id], rate: 1/h, burst: 3, on_store_failure: closed}
        - {name: export, limit_keys: [shop], rate: 1/h, burst: 2, manual: true}
        - {name: drafts, limit_keys: [user_id], rate: 1/h, burst: 1, manual: true}
      """;

  /** The first call after the start of an application may be slow. */
  private static final String LONG_DEADLINE = "--penstock.redis.deadline=5s";

  @TempDir private Path folder;

  @Test
  void redis_sharedThenKilled_sharesLimitsThenAppliesFailurePolicies() throws Exception {
    Path policy = Files.writeString(folder.resolve("rules.yaml"), POLICY);
    try (RedisProcess redis = RedisProcess.start();
        RunningSample byUrl =
            RunningSample.with(
                "--penstock.policy=" + policy,
                LONG_DEADLINE,
                "--penstock.redis.url=" + redis.url());
        RunningSample byFactory =
            RunningSample.with(
                "--penstock.policy=" + policy,
                LONG_DEADLINE,
                "--spring.data.redis.url=" + redis.url())) {
      Client one = byUrl.client("192.0.2.1");
      Client other = byFactory.client("192.0.2.1");
      for (int i = 0; i < 2; i++) {
        assertThat(one.status("/tea")).isEqualTo(200);
        assertThat(other.status("/tea")).isEqualTo(200);
        assertThat(one.status("/exports/a")).isEqualTo(200);
      }
      assertThat(one.status("/tea")).isEqualTo(429);
      assertThat(other.status("/tea")).isEqualTo(429);
      assertThat(other.status("/exports/a")).isEqualTo(429);
      assertThat(one.as("ann").status("/orders")).isEqualTo(200);
      assertThat(other.as("ann").get("/orders").headers().firstValue("RateLimit-Remaining"))
          .contains("1");
      assertThat(one.as("bob").status("/drafts")).isEqualTo(200);
      assertThat(other.as("bob").status("/drafts")).isEqualTo(429);

      redis.kill();

      checkFailurePolicies(byUrl.client("192.0.2.2"));
      checkFailurePolicies(byFactory.client("192.0.2.2"));
    }
  }

  private static void checkFailurePolicies(Client client) {
    List<CompletableFuture<HttpResponse<String>>> responses =
        IntStream.range(0, 100).mapToObj(i -> client.getLater("/tea")).toList();
    Map<Integer, Integer> statuses = new HashMap<>();
    for (CompletableFuture<HttpResponse<String>> each : responses) {
      HttpResponse<String> response = each.orTimeout(10, TimeUnit.SECONDS).join();
      assertThat(response.headers().firstValue("Penstock-Degraded")).isPresent();
      statuses.merge(response.statusCode(), 1, Integer::sum);
    }
    assertThat(statuses).as("the limit of this node").isEqualTo(Map.of(200, 4, 429, 96));
    HttpResponse<String> closed = client.as("bob").get("/orders");
    assertThat(closed.statusCode()).isEqualTo(503);
    assertThat(closed.body()).contains("temporary-reduced-capacity");
    assertThat(client.get("/actuator/health/penstock").body())
        .contains("\"status\":\"UP\"", "\"degraded\":true");
  }
}
