package io.penstock.server;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.redis.RedisProcess;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two nodes on one Redis, of which one overrides the limit of a key. */
class KeyOverrideIT {
  private static final String POLICY =
      """
      rules:
        - {name: exact, limit_keys: [user_id], rate: 1/d, burst: 5}
        - {name: leased, limit_keys: [tenant], rate: 1/d, burst: 100, consistency: leased}
      """;
  private static final String USER = "{\"attributes\":{\"user_id\":\"a\"}}";
  private static final String TENANT = "{\"attributes\":{\"tenant\":\"a\"}}";
  private static final String KEY_OF_USER = "{\"rule\":\"exact\",\"key\":\"user_id=a\"";
  private static final String KEY_OF_TENANT = "{\"rule\":\"leased\",\"key\":\"tenant=a\"";

  @TempDir private Path folder;
  private RedisProcess redis;
  private RunningServer overriding;
  private RunningServer other;

  @BeforeEach
  void start() {
    redis = RedisProcess.start();
    Map<Setting, String> flags =
        Map.of(
            Setting.POLICY,
            RunningServer.write(folder, POLICY).toString(),
            Setting.REDIS,
            redis.url(),
            // On a busy machine, a response may take longer than the default deadline.
            Setting.REDIS_DEADLINE_MS,
            "5000");
    overriding = RunningServer.with(flags);
    other = RunningServer.with(flags);
  }

  @AfterEach
  void stop() {
    overriding.close();
    other.close();
    redis.close();
  }

  private static int allowedOf(int requests, RunningServer node, String request) {
    int allowed = 0;
    for (int i = 0; i < requests; i++) {
      HttpResponse<String> response = node.check(request);
      assertThat(response.statusCode()).isEqualTo(200);
      allowed += response.body().startsWith("{\"allowed\":true") ? 1 : 0;
    }
    return allowed;
  }

  private void override(String key, int burst, String duration) {
    HttpResponse<String> response =
        overriding.admin(
            "/v1/keys/override",
            key + ",\"rate\":\"1/d\",\"burst\":" + burst + ",\"for\":\"" + duration + "\"}");
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body()).contains("\"limit\":" + burst + ",");
  }

  private void end(String key) {
    assertThat(overriding.admin("/v1/keys/override/end", key + "}").body())
        .endsWith("\"override\":null}");
  }

  private void awaitExpiry() {
    await("expired")
        .until(() -> overriding.admin("/v1/keys/overrides").body().equals("{\"overrides\":[]}"));
  }

  private static String levels(RunningServer node, String key) {
    return node.admin("/v1/keys/peek", key + "}").body();
  }

  @Test
  void override_larger_grantsTheDifferenceOnThisNodeOnly() {
    assertThat(allowedOf(10, other, USER)).isEqualTo(5);
    assertThat(allowedOf(1, overriding, USER)).isZero();
    override(KEY_OF_USER, 20, "1h");
    assertThat(allowedOf(10, other, USER)).isZero();
    assertThat(levels(other, KEY_OF_USER)).contains("\"limit\":5,\"remaining\":0,");
    assertThat(levels(overriding, KEY_OF_USER)).contains("\"limit\":20,\"remaining\":15,");
    assertThat(allowedOf(30, overriding, USER)).isEqualTo(15);
    assertThat(allowedOf(10, other, USER)).isZero();
  }

  @Test
  void override_ended_restoresTheLimitAndKeepsWhatWasConsumed() {
    override(KEY_OF_USER, 20, "1h");
    assertThat(allowedOf(2, overriding, USER)).isEqualTo(2);
    assertThat(allowedOf(1, other, USER)).isEqualTo(1);
    assertThat(levels(overriding, KEY_OF_USER)).contains("\"limit\":20,\"remaining\":17,");
    end(KEY_OF_USER);
    assertThat(levels(overriding, KEY_OF_USER)).contains("\"limit\":5,\"remaining\":2,");
    assertThat(allowedOf(5, overriding, USER)).isEqualTo(2);
    assertThat(allowedOf(5, other, USER)).isZero();
  }

  @Test
  void override_expired_restoresTheLimitAndKeepsWhatWasConsumed() {
    override(KEY_OF_USER, 20, "1h");
    assertThat(allowedOf(30, overriding, USER)).isEqualTo(20);
    override(KEY_OF_USER, 30, "1ms");
    awaitExpiry();
    assertThat(levels(overriding, KEY_OF_USER)).contains("\"limit\":5,\"remaining\":0,");
    assertThat(allowedOf(10, overriding, USER)).isZero();
    override(KEY_OF_USER, 30, "1h");
    assertThat(allowedOf(20, overriding, USER)).isEqualTo(10);
  }

  @Test
  void override_smaller_deniesOnThisNodeAndForgivesNothing() {
    assertThat(allowedOf(3, other, USER)).isEqualTo(3);
    override(KEY_OF_USER, 2, "1h");
    assertThat(allowedOf(5, overriding, USER)).isZero();
    assertThat(allowedOf(1, other, USER)).isEqualTo(1);
    end(KEY_OF_USER);
    assertThat(allowedOf(5, overriding, USER)).isEqualTo(1);
    assertThat(allowedOf(5, other, USER)).isZero();
  }

  @Test
  void override_redisFails_continuesFromTheLastLevelUnderTheOverride() {
    override(KEY_OF_USER, 20, "1h");
    assertThat(allowedOf(8, overriding, USER)).isEqualTo(8);
    redis.kill();
    assertThat(allowedOf(30, overriding, USER)).isEqualTo(12);
    end(KEY_OF_USER);
    assertThat(allowedOf(10, overriding, USER)).isZero();
  }

  @Test
  void override_leasedKey_grantsTheDifferenceOnce() {
    int[] allowed = {0};
    await("leased")
        .until(
            () -> {
              allowed[0] += allowedOf(5, overriding, TENANT);
              return overriding.admin("/v1/explain", TENANT).body().contains("\"leased\":true");
            });
    override(KEY_OF_TENANT, 300, "1h");
    // Tokens that a node has leased and not used are returned after a while.
    await("all granted")
        .until(
            () -> {
              allowed[0] += allowedOf(20, overriding, TENANT) + allowedOf(1, other, TENANT);
              return allowed[0] >= 300;
            });
    assertThat(allowed[0]).isEqualTo(300);
    assertThat(allowedOf(50, overriding, TENANT)).isZero();
    end(KEY_OF_TENANT);
    assertThat(allowedOf(50, overriding, TENANT)).isZero();
    assertThat(allowedOf(50, other, TENANT)).isZero();
  }
}
