package io.penstock.cli;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.redis.RedisProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three services that have just started share a limit, on a machine that is too small for them and
 * their callers. Decisions miss their deadline, and Redis fails. What passes stays bounded.
 */
@Tag("full")
class StarvedNodesIT {
  private static final int NODES = 3;
  private static final int CALLERS = 64;
  private static final double BURST = 10;
  private static final double RATE_PER_SECOND = 10;
  private static final Duration LOAD = Duration.ofSeconds(15);

  @TempDir Path folder;

  /** A response of a node, with the times at which its request was sent and it was received. */
  private record Response(
      int node, long sentNanos, long receivedNanos, boolean allowed, boolean degraded) {}

  /** What happens to Redis while the services are under load. */
  private interface Fault {
    void inject(RedisProcess redis) throws Exception;
  }

  private final Queue<Response> responses = new LinkedBlockingQueue<>();
  private volatile boolean faultOver;

  @Test
  void serve_starved_nodesGrantAtMostTheirLimits() throws Exception {
    load("", redis -> {});
    assertBounded("starved", NODES, 0);
  }

  @Test
  void serve_starvedWithShares_nodesGrantTheLimitAndABurstEach() throws Exception {
    load(", share: true", redis -> {});
    assertBounded("starved, share", 1, NODES * BURST);
  }

  @Test
  void serve_starvedWithLeases_nodesGrantAtMostTheirLimits() throws Exception {
    load(", consistency: leased", redis -> {});
    assertBounded("starved, leased", NODES, 0);
  }

  /** The restarted Redis has lost its data, and may grant a burst for a second time. */
  @Test
  void serve_redisKilled_nodesGrantAtMostTheirLimits() throws Exception {
    load("", this::killAndRestart);
    assertBounded("killed", NODES, 0, BURST);
  }

  @Test
  void serve_redisKilledWithShares_nodesGrantTheLimitAndABurstEach() throws Exception {
    load(", share: true", this::killAndRestart, "--nodes", "" + NODES);
    assertBounded("killed, share", 1, NODES * BURST, BURST);
  }

  @Test
  void serve_redisHangs_nodesGrantAtMostTheirLimits() throws Exception {
    load("", this::freezeAndThaw);
    assertBounded("hung", NODES, 0);
  }

  @Test
  void serve_redisHangsWithShares_nodesGrantTheLimitAndABurstEach() throws Exception {
    load(", share: true", this::freezeAndThaw, "--nodes", "" + NODES);
    assertBounded("hung, share", 1, NODES * BURST);
  }

  private void killAndRestart(RedisProcess redis) {
    awaitResponses(1_000);
    redis.kill();
    awaitDegraded();
    redis.restart();
  }

  private void freezeAndThaw(RedisProcess redis) {
    awaitResponses(1_000);
    redis.freeze();
    awaitDegraded();
    redis.thaw();
  }

  /**
   * @param args further arguments of the services
   */
  private void load(String options, Fault fault, String... args) throws Exception {
    String policy = writePolicy(options);
    List<Service> services = new ArrayList<>();
    ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
    try (RedisProcess redis = RedisProcess.start()) {
      for (int i = 0; i < NODES; i++) {
        List<String> all = new ArrayList<>(List.of(args));
        all.addAll(List.of("--policy", policy, "--redis", redis.url()));
        services.add(Service.start(folder, all.toArray(String[]::new)));
      }
      long end = System.nanoTime() + LOAD.toNanos();
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < CALLERS; i++) {
        int node = i % NODES;
        running.add(callers.submit(() -> call(node, services.get(node), end)));
      }
      try {
        fault.inject(redis);
      } finally {
        faultOver = true;
      }
      for (Future<?> caller : running) {
        // Throws if any request was not answered.
        caller.get(5, TimeUnit.MINUTES);
      }
    } finally {
      callers.shutdownNow();
      services.forEach(Service::close);
    }
  }

  private void awaitResponses(int more) {
    int before = responses.size();
    await(more + " responses").until(() -> responses.size() >= before + more);
  }

  /** Waits for more responses, and until each node has decided a later request without Redis. */
  private void awaitDegraded() {
    long now = System.nanoTime();
    awaitResponses(1_000);
    await("degraded decisions of each node")
        .until(
            () ->
                responses.stream()
                        .filter(response -> response.degraded && response.sentNanos - now >= 0)
                        .mapToInt(Response::node)
                        .distinct()
                        .count()
                    == NODES);
  }

  private String writePolicy(String options) throws IOException {
    return Files.writeString(
            folder.resolve("policy.yaml"),
            "{name: all, limit_keys: [], rate: %.0f/s, burst: %.0f%s}%n"
                .formatted(RATE_PER_SECOND, BURST, options))
        .toString();
  }

  private void call(int node, Service service, long end) {
    try (CheckConnection connection = new CheckConnection(service)) {
      while (System.nanoTime() - end < 0 || !faultOver) {
        long sent = System.nanoTime();
        String body = connection.check("{}");
        responses.add(
            new Response(
                node,
                sent,
                System.nanoTime(),
                body.contains("\"allowed\":true"),
                body.contains("\"degraded\":true")));
      }
    }
  }

  /**
   * Checks every interval: {@code times} the limit, and {@code more}. Redis alone grants at most
   * the limit.
   */
  private void assertBounded(String what, int times, double more) {
    assertBounded(what, times, more, 0);
  }

  /**
   * @param forgotten how many tokens more than the limit Redis may grant because it lost its data
   */
  private void assertBounded(String what, int times, double more, double forgotten) {
    List<Response> granted = responses.stream().filter(Response::allowed).toList();
    long degraded = responses.stream().filter(Response::degraded).count();
    double excess = maxExcess(granted, times, response -> true);
    double exactExcess = maxExcess(granted, 1, response -> !response.degraded);
    System.out.printf(
        "%-18s %d responses, %d degraded, %d granted, %d of these by Redis;"
            + " over %d times the limit: %.1f, of Redis: %.1f%n",
        what,
        responses.size(),
        degraded,
        granted.size(),
        granted.stream().filter(response -> !response.degraded).count(),
        times,
        excess,
        exactExcess);
    assertThat(granted.size()).isPositive();
    assertThat(excess).isLessThanOrEqualTo(more);
    assertThat(exactExcess).isLessThanOrEqualTo(forgotten);
  }

  /**
   * Returns by how much the grants in any interval exceed {@code times} the limit. A response
   * counts in an interval if it was sent and received in it.
   */
  private static double maxExcess(List<Response> granted, int times, Predicate<Response> counts) {
    List<Response> sorted =
        granted.stream()
            .filter(counts)
            .sorted((a, b) -> Long.compare(a.receivedNanos, b.receivedNanos))
            .toList();
    double max = Double.NEGATIVE_INFINITY;
    for (Response first : sorted) {
      int within = 0;
      for (Response last : sorted) {
        if (last.sentNanos - first.sentNanos >= 0) {
          within++;
          double seconds = (last.receivedNanos - first.sentNanos) / 1e9;
          max = Math.max(max, within - times * (BURST + RATE_PER_SECOND * seconds));
        }
      }
    }
    return max;
  }
}
