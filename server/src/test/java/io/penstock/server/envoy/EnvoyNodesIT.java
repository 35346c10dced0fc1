package io.penstock.server.envoy;

import static io.penstock.server.envoy.EnvoyClient.descriptor;
import static io.penstock.server.envoy.EnvoyClient.entry;
import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.redis.RedisProcess;
import io.penstock.server.RunningServer;
import io.penstock.server.Setting;
import io.penstock.server.envoy.proto.service.RateLimitResponse;
import io.penstock.server.envoy.proto.service.RateLimitResponse.Code;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two nodes on one Redis, asked by grpc-java: across the edge of a window, with refunds, and
 * without Redis. With {@code -Dpenstock.envoy.strict=true}, the times that it prints are also
 * checked, which needs a machine that does nothing else.
 */
@Tag("full")
class EnvoyNodesIT {
  private static final boolean STRICT = Boolean.getBoolean("penstock.envoy.strict");

  /** Envoy's default timeout for a decision. */
  private static final double TIMEOUT_MILLIS = 20;

  private static final int LIMIT = 40;
  private static final int CALLERS = 64;
  private static final int EDGES = 3;
  private static final int CALLS = 500;

  @TempDir private Path folder;
  private Path config;

  @BeforeEach
  void write() throws IOException {
    config =
        Files.writeString(
            folder.resolve("envoy.yaml"),
            """
            domain: shop
            descriptors:
              - {key: user, rate_limit: {unit: second, requests_per_unit: %d}}
              - {key: tenant, rate_limit: {unit: year, requests_per_unit: 1}}
              - {key: free, rate_limit: {unit: second, requests_per_unit: 1000000}}
            """
                .formatted(LIMIT));
  }

  /** A server with a client. */
  private final class Node implements AutoCloseable {
    private final RunningServer server;
    private final EnvoyClient client;

    Node(RedisProcess redis, Map<Setting, String> more) {
      Map<Setting, String> settings = new EnumMap<>(Setting.class);
      settings.put(Setting.ENVOY, config.toString());
      settings.put(Setting.ENVOY_HOST, "127.0.0.1");
      settings.put(Setting.ENVOY_PORT, "0");
      settings.put(Setting.REDIS, redis.url());
      settings.putAll(more);
      server = RunningServer.with(settings);
      client = new EnvoyClient(server.server().envoyPort().orElseThrow());
    }

    RateLimitResponse ask(String entry) {
      return client.ask("shop", descriptor(entry));
    }

    @Override
    public void close() {
      client.close();
      server.close();
    }
  }

  @Test
  void ask_acrossEdgesOfBuckets_isAllowedAtMostAsTheLimitSays() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        Node one = new Node(redis, Map.of(Setting.REDIS_DEADLINE_MS, "60000"));
        Node two = new Node(redis, Map.of(Setting.REDIS_DEADLINE_MS, "60000"))) {
      long start = redis.micros();
      long allowed = allowed(one, two, () -> redis.micros() - start > EDGES * 1_000_000L);
      long end = redis.micros();

      long max = LIMIT + LIMIT * (end - start) / 1_000_000;
      System.out.printf(
          Locale.ROOT, "token buckets: %d allowed in %d µs, max %d%n", allowed, end - start, max);
      assertThat(allowed).isBetween((long) LIMIT, max);
    }
  }

  @Test
  void ask_acrossEdgesOfWindows_isAllowedAtMostAsTheLimitSays() throws Exception {
    Map<Setting, String> windows =
        Map.of(Setting.REDIS_DEADLINE_MS, "60000", Setting.ENVOY_ALGORITHM, "fixed_window");
    try (RedisProcess redis = RedisProcess.start();
        Node one = new Node(redis, windows);
        Node two = new Node(redis, windows)) {
      long first = redis.micros() / 1_000_000;
      long allowed = allowed(one, two, () -> redis.micros() / 1_000_000 - first > EDGES);
      long count = redis.micros() / 1_000_000 - first + 1;

      System.out.printf("fixed windows: %d allowed in %d windows of %d%n", allowed, count, LIMIT);
      assertThat(allowed).isBetween((long) LIMIT, count * LIMIT);
    }
  }

  @Test
  void refund_onOneNode_isVisibleOnTheOther() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        Node one = new Node(redis, Map.of(Setting.REDIS_DEADLINE_MS, "60000"));
        Node two = new Node(redis, Map.of(Setting.REDIS_DEADLINE_MS, "60000"))) {
      assertThat(one.ask("tenant=a").getOverallCode()).isEqualTo(Code.OK);
      // The other node remembers this denial.
      assertThat(two.ask("tenant=a").getOverallCode()).isEqualTo(Code.OVER_LIMIT);

      long start = System.nanoTime();
      RateLimitResponse refund =
          one.client.ask("shop", entry("tenant=a").setIsNegativeHits(true).build());
      assertThat(refund.getOverallCode()).isEqualTo(Code.OK);
      await("refund on the other node")
          .until(() -> two.ask("tenant=a").getOverallCode() == Code.OK);

      double millis = (System.nanoTime() - start) / 1e6;
      System.out.printf(Locale.ROOT, "refund visible on the other node after %.1f ms%n", millis);
      assertThat(STRICT && millis > 1_000).as("refund after %s ms", millis).isFalse();
    }
  }

  @Test
  void ask_redisKilled_isAnsweredAndLabelled() throws Exception {
    assertAnswered("killed", RedisProcess::kill);
  }

  @Test
  void ask_redisHung_isAnsweredAndLabelled() throws Exception {
    assertAnswered("hung", RedisProcess::freeze);
  }

  private interface Outage {
    void begin(RedisProcess redis) throws Exception;
  }

  /** Asks with the default deadline before and during an outage. */
  private void assertAnswered(String name, Outage outage) throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        Node node = new Node(redis, Map.of())) {
      for (int i = 0; i < CALLS; i++) {
        RateLimitResponse unused = node.ask("free=" + i);
      }
      outage.begin(redis);
      double[] millis = new double[CALLS];
      for (int i = 0; i < CALLS; i++) {
        long start = System.nanoTime();
        RateLimitResponse answer = node.ask("free=" + i);
        millis[i] = (System.nanoTime() - start) / 1e6;
        assertThat(answer.getOverallCode()).isEqualTo(Code.OK);
        assertThat(answer.getResponseHeadersToAddList())
            .as("answer %s", i)
            .anyMatch(header -> header.getKey().equals("Penstock-Degraded"));
      }
      double first = millis[0];
      Arrays.sort(millis);
      System.out.printf(
          Locale.ROOT,
          "Redis %s: first %.1f ms, p50 %.1f ms, p99 %.1f ms, max %.1f ms of %d answers%n",
          name,
          first,
          millis[CALLS / 2],
          millis[CALLS * 99 / 100],
          millis[CALLS - 1],
          CALLS);
      assertThat(STRICT && millis[CALLS - 1] > TIMEOUT_MILLIS)
          .as("max %s", millis[CALLS - 1])
          .isFalse();
    }
  }

  /** Returns how many requests of all callers are allowed until {@code ended}. */
  private static long allowed(Node one, Node two, BooleanSupplier ended) throws Exception {
    ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
    AtomicBoolean stopped = new AtomicBoolean();
    try {
      List<Future<Long>> counts = new ArrayList<>();
      for (int i = 0; i < CALLERS; i++) {
        Node node = i % 2 == 0 ? one : two;
        counts.add(
            callers.submit(
                () -> {
                  long allowed = 0;
                  while (!stopped.get()) {
                    allowed += node.ask("user=a").getOverallCode() == Code.OK ? 1 : 0;
                  }
                  return allowed;
                }));
      }
      await("edges of windows").until(ended::getAsBoolean);
      stopped.set(true);
      long allowed = 0;
      for (Future<Long> count : counts) {
        allowed += count.get(1, TimeUnit.MINUTES);
      }
      return allowed;
    } finally {
      stopped.set(true);
      callers.shutdownNow();
    }
  }
}
