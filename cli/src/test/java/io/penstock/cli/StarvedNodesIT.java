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
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three services that have just started share a limit, on a machine that is too small for them and
 * their callers. Decisions miss their deadline, and Redis fails. What passes stays bounded, what
 * Redis decides is exact, and Redis decides again soon after it is available.
 */
@Tag("full")
class StarvedNodesIT {
  private static final int NODES = 3;
  private static final int CALLERS = 64;
  private static final double BURST = 10;
  private static final double RATE_PER_SECOND = 10;
  private static final Duration LOAD = Duration.ofSeconds(15);
  private static final long PAUSE_NANOS = 1_000_000;
  private static final long REFUND_NANOS = 1_000_000_000;
  private static final double MAX_BACK_MILLIS = 1_000;

  @TempDir Path folder;

  /** A response of a node, with the times at which its request was sent and it was received. */
  private record Response(
      int node, long sentNanos, long receivedNanos, boolean allowed, String degradation) {
    boolean degraded() {
      return !degradation.isEmpty();
    }
  }

  /** A thread that slept longer than it should because this process had no CPU time. */
  private record Lag(long untilNanos, long nanos) {}

  /** What happens to Redis while the services are under load. */
  private interface Fault {
    void inject(RedisProcess redis) throws Exception;
  }

  private final Queue<Response> responses = new LinkedBlockingQueue<>();
  private final Queue<Lag> lags = new LinkedBlockingQueue<>();
  private volatile boolean faultOver;

  /** When Redis was available again. */
  private volatile long restoredNanos;

  @Test
  void serve_starved_nodesGrantAtMostTheirLimits() throws Exception {
    load("", redis -> {});
    assertBounded("starved", NODES, 0);
    assertDenialsExact("starved");
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
    assertDenialsExact("killed");
    assertExactAgain("killed");
  }

  @Test
  void serve_redisKilledWithShares_nodesGrantTheLimitAndABurstEach() throws Exception {
    load(
        ", share: true",
        redis -> {
          awaitNodesCounted(redis);
          killAndRestart(redis);
        });
    assertBounded("killed, share", 1, NODES * BURST, BURST);
    assertExactAgain("killed, share");
  }

  @Test
  void serve_redisHangs_nodesGrantAtMostTheirLimits() throws Exception {
    load("", this::freezeAndThaw);
    assertBounded("hung", NODES, 0);
    assertDenialsExact("hung");
    assertExactAgain("hung");
  }

  @Test
  void serve_redisHangsWithShares_nodesGrantTheLimitAndABurstEach() throws Exception {
    load(", share: true", this::freezeAndThaw, "--nodes", "" + NODES);
    assertBounded("hung, share", 1, NODES * BURST);
    assertExactAgain("hung, share");
  }

  private void killAndRestart(RedisProcess redis) {
    awaitResponses(1_000);
    redis.kill();
    awaitDegraded();
    redis.restart();
    awaitExact();
  }

  private void freezeAndThaw(RedisProcess redis) {
    awaitResponses(1_000);
    redis.freeze();
    awaitDegraded();
    redis.thaw();
    awaitExact();
  }

  /** Waits until Redis has decided a request of each node after it was restored. */
  private void awaitExact() {
    restoredNanos = System.nanoTime();
    awaitDecisionsOfEachNode(
        response -> !response.degraded() && response.sentNanos - restoredNanos >= 0);
  }

  private void awaitDecisionsOfEachNode(Predicate<Response> counts) {
    await("decisions of each node")
        .until(
            () ->
                responses.stream().filter(counts).mapToInt(Response::node).distinct().count()
                    == NODES);
  }

  /** Waits until each node has registered again after all of them had registered. */
  private static void awaitNodesCounted(RedisProcess redis) {
    await("all nodes").until(() -> registrations(redis).size() == NODES);
    double last =
        registrations(redis).stream().mapToDouble(Double::doubleValue).max().orElseThrow();
    await("registered again")
        .until(() -> registrations(redis).stream().allMatch(millis -> millis > last));
  }

  /** The times at which the nodes registered last. */
  private static List<Double> registrations(RedisProcess redis) {
    return redis.scores("penstock:nodes");
  }

  /**
   * @param args further arguments of the services
   */
  private void load(String options, Fault fault, String... args) throws Exception {
    String policy = writePolicy(options);
    List<Service> services = new ArrayList<>();
    ExecutorService callers = Executors.newFixedThreadPool(CALLERS + 1);
    try (RedisProcess redis = RedisProcess.start()) {
      for (int i = 0; i < NODES; i++) {
        List<String> all = new ArrayList<>(List.of(args));
        all.addAll(List.of("--policy", policy, "--redis", redis.url()));
        services.add(Service.start(folder, all.toArray(String[]::new)));
      }
      long end = System.nanoTime() + LOAD.toNanos();
      Future<?> unused = callers.submit(this::watchTheMachine);
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
    awaitDecisionsOfEachNode(response -> response.degraded() && response.sentNanos - now >= 0);
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
                connection.degradation()));
        assertThat(connection.degradation().isEmpty())
            .isEqualTo(body.contains("\"degraded\":false"));
      }
    }
  }

  private void watchTheMachine() {
    while (!Thread.currentThread().isInterrupted()) {
      long start = System.nanoTime();
      LockSupport.parkNanos(PAUSE_NANOS);
      long now = System.nanoTime();
      lags.add(new Lag(now, now - start - PAUSE_NANOS));
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
    double exactExcess = maxExcess(granted, 1, response -> !response.degraded());
    System.out.printf(
        "%-18s %d responses, %d degraded, %d granted, %d of these by Redis;"
            + " over %d times the limit: %.1f, of Redis: %.1f%n",
        what,
        responses.size(),
        degraded,
        granted.size(),
        granted.stream().filter(response -> !response.degraded()).count(),
        times,
        excess,
        exactExcess);
    System.out.printf("%-18s %s%n", what, reasons(responses.stream()));
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

  /**
   * Checks that Redis denied a request only if the bucket had less than a token, given everything
   * that all nodes granted: each grant counts as late as possible, and those that were in flight
   * together with the denial count as if they were before it. So does each request that a node gave
   * up and denied itself shortly before: Redis may have charged it, and a moment later refunds it.
   * With shares there are many of these, so this is not checked. A level that a node reports is as
   * old as the call, so it may be lower by what was refilled in the meantime.
   */
  private void assertDenialsExact(String what) {
    List<Response> granted =
        responses.stream()
            .filter(Response::allowed)
            .sorted((a, b) -> Long.compare(a.receivedNanos, b.receivedNanos))
            .toList();
    double[] levels = new double[granted.size()];
    double level = BURST;
    for (int i = 0; i < levels.length; i++) {
      double before = i == 0 ? BURST : refilled(level, granted.get(i - 1), granted.get(i));
      level = Math.max(0, before - 1);
      levels[i] = level;
    }
    double max = 0;
    int denials = 0;
    for (Response denial : responses) {
      if (!denial.allowed && !denial.degraded()) {
        denials++;
        double found = levelAt(denial, granted, levels);
        max = Math.max(max, found > 1 ? found - givenUpBefore(denial) : found);
      }
    }
    double maxSeconds =
        responses.stream().mapToLong(each -> each.receivedNanos - each.sentNanos).max().orElse(0)
            / 1e9;
    System.out.printf(
        "%-18s %d denials by Redis; level at most %.2f; responses after at most %.0f ms%n",
        what, denials, max, maxSeconds * 1e3);
    assertThat(max).isLessThanOrEqualTo(1 + RATE_PER_SECOND * maxSeconds);
  }

  private static double refilled(double level, Response from, Response to) {
    double seconds = (to.receivedNanos - from.receivedNanos) / 1e9;
    return Math.min(BURST, level + RATE_PER_SECOND * seconds);
  }

  private long givenUpBefore(Response denial) {
    return responses.stream()
        .filter(each -> each.degraded() && !each.allowed)
        .filter(each -> each.sentNanos - denial.receivedNanos < 0)
        .filter(each -> denial.sentNanos - each.receivedNanos < REFUND_NANOS)
        .count();
  }

  private static double levelAt(Response denial, List<Response> granted, double[] levels) {
    double level = BURST;
    int inFlight = 0;
    for (int i = 0; i < levels.length; i++) {
      Response grant = granted.get(i);
      double seconds = (denial.sentNanos - grant.receivedNanos) / 1e9;
      if (seconds >= 0) {
        level = Math.min(BURST, levels[i] + RATE_PER_SECOND * seconds);
      } else if (grant.sentNanos - denial.receivedNanos < 0) {
        inFlight++;
      }
    }
    return level - inFlight;
  }

  /** Checks when Redis decides again at each node after it was restored. */
  private void assertExactAgain(String what) {
    for (int node = 0; node < NODES; node++) {
      int own = node;
      long first =
          responses.stream()
              .filter(each -> each.node == own && !each.degraded())
              .filter(each -> each.sentNanos - restoredNanos >= 0)
              .mapToLong(Response::receivedNanos)
              .min()
              .orElseThrow();
      double millis = (first - restoredNanos) / 1e6;
      double starvedMillis =
          lags.stream()
                  .filter(lag -> lag.untilNanos - restoredNanos > 0 && lag.untilNanos - first < 0)
                  .mapToLong(Lag::nanos)
                  .sum()
              / 1e6;
      System.out.printf(
          "%-18s node %d: exact after %.0f ms, of which %.0f without CPU time; then %s%n",
          what,
          node,
          millis,
          starvedMillis,
          reasons(
              responses.stream().filter(each -> each.node == own && each.sentNanos - first >= 0)));
      assertThat(millis).isLessThanOrEqualTo(MAX_BACK_MILLIS + starvedMillis);
    }
  }

  /** Returns the number of responses by their degradation, which is empty for most of them. */
  private static Map<String, Long> reasons(Stream<Response> some) {
    return some.collect(
        Collectors.groupingBy(Response::degradation, TreeMap::new, Collectors.counting()));
  }
}
