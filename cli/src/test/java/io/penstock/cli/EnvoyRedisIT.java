package io.penstock.cli;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.redis.RedisProcess;
import io.penstock.server.PenstockServer;
import io.penstock.server.Setting;
import io.penstock.server.SettingsReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two nodes answer Envoy with limits in one Redis, which fails. */
class EnvoyRedisIT {
  private static final HttpClient CLIENT = HttpClient.newHttpClient();
  private static final int LIMIT = 50;
  private static final int CALLERS = 64;

  @TempDir Path folder;

  @Test
  void json_twoNodesOnOneRedis_shareLimitsUntilItFails() throws Exception {
    Path config =
        Files.writeString(
            folder.resolve("envoy.yaml"),
            """
            domain: shop
            descriptors:
              - {key: user, rate_limit: {unit: year, requests_per_unit: %d}}
              - {key: tenant, rate_limit: {unit: year, requests_per_unit: 1}}
            """
                .formatted(LIMIT));
    try (RedisProcess redis = RedisProcess.start();
        PenstockServer one = start(config, redis);
        PenstockServer two = start(config, redis)) {
      assertThat(allowed(one, two)).isEqualTo(LIMIT);

      assertThat(ask(one, "tenant", "")).contains("\"overallCode\":\"OK\"");
      assertThat(ask(two, "tenant", "")).contains("\"overallCode\":\"OVER_LIMIT\"");
      assertThat(ask(one, "tenant", ",\"isNegativeHits\":true")).contains("OK");
      await("refund on the other node").until(() -> ask(two, "tenant", "").contains(":\"OK\""));

      redis.kill();
      await("labelled answers")
          .until(() -> ask(one, "user", "").contains("\"key\":\"Penstock-Degraded\""));
      assertThat(ask(one, "user", "")).contains("\"overallCode\":\"OVER_LIMIT\"");
    }
  }

  /** Returns how many of the concurrent requests to both nodes are allowed. */
  private static long allowed(PenstockServer one, PenstockServer two) throws Exception {
    ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
    try {
      List<Future<String>> answers = new ArrayList<>();
      for (int i = 0; i < 4 * LIMIT; i++) {
        PenstockServer node = i % 2 == 0 ? one : two;
        answers.add(callers.submit(() -> ask(node, "user", "")));
      }
      long allowed = 0;
      for (Future<String> answer : answers) {
        allowed += answer.get().contains("\"overallCode\":\"OK\"") ? 1 : 0;
      }
      return allowed;
    } finally {
      callers.shutdownNow();
    }
  }

  private static PenstockServer start(Path config, RedisProcess redis) {
    Map<Setting, String> settings = new EnumMap<>(Setting.class);
    settings.put(Setting.HOST, "127.0.0.1");
    settings.put(Setting.PORT, "0");
    settings.put(Setting.ADMIN_PORT, "0");
    settings.put(Setting.ENVOY, config.toString());
    settings.put(Setting.ENVOY_HOST, "127.0.0.1");
    settings.put(Setting.ENVOY_PORT, "0");
    settings.put(Setting.REDIS, redis.url());
    // On a busy machine, a response may take longer than the default deadline.
    settings.put(Setting.REDIS_DEADLINE_MS, "5000");
    return PenstockServer.start(SettingsReader.read(settings, Map.of(), null));
  }

  private static String ask(PenstockServer node, String key, String more)
      throws IOException, InterruptedException {
    String question =
        "{\"domain\":\"shop\",\"descriptors\":[{\"entries\":[{\"key\":\""
            + key
            + "\",\"value\":\"a\"}]"
            + more
            + "}]}";
    HttpResponse<String> response =
        CLIENT.send(
            HttpRequest.newBuilder(
                    URI.create("http://127.0.0.1:" + node.envoyPort().orElseThrow() + "/json"))
                .POST(BodyPublishers.ofString(question))
                .build(),
            BodyHandlers.ofString());
    return response.body();
  }
}
