package io.penstock.redis;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisURI;
import io.penstock.Claim;
import io.penstock.Consistency;
import io.penstock.Decision;
import io.penstock.FailurePolicy;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.StoreOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Several nodes that lose and regain Redis at different times. */
@Tag("full")
class LocalNodesIT {
  private static final int BURST = 40;
  private static final int NODES = 3;
  private static final int ROUNDS = 3;
  private static final int STEPS = 200;
  private static final int LEASED_STEPS = 2_000;

  private static final Limit REFILLING = Limit.perSecond(20).burst(BURST);
  private static final double REFILL_PER_SECOND = 20;

  /** No window ends during a test. */
  private static final Duration LENGTH = Duration.ofDays(300);

  private static final Limit WINDOW = Limit.fixedWindow(BURST, LENGTH);

  /** The server and this process measure time by different clocks. */
  private static final double CLOCK_ERROR = 0.1;

  /** A node with its own connection to Redis. */
  private static final class Node {
    final FlakyProxy proxy;
    final RedisStore store;
    RateLimiter limiter;
    final RateLimiter refilling;
    final RateLimiter window;
    boolean connected = true;
    double granted;
    double grantedByRedis;

    Node(RedisProcess redis) {
      proxy = new FlakyProxy(redis.port());
      store =
          RedisStore.builder()
              .deadline(Duration.ofMillis(200))
              .connect(RedisURI.create(proxy.url()));
      limiter = RateLimiter.on(store, "x", Limit.perDay(1).burst(BURST));
      refilling = RateLimiter.on(store, "refilling", REFILLING);
      window = RateLimiter.on(store, "window", WINDOW);
      await("available").until(store::isAvailable);
    }

    void toggle() {
      connected = !connected;
      proxy.refuse(!connected);
      if (!connected) {
        proxy.reset();
      }
      await("connected: " + connected).until(() -> store.isAvailable() == connected);
    }

    void close() {
      store.close();
      proxy.close();
    }
  }

  /**
   * A bucket that all nodes take from. All grants count, so the level can become negative, and each
   * counts when its response arrives, so the level is a lower bound.
   */
  private static final class ReferenceBucket {
    private final double refillPerSecond;
    private double level = BURST;
    private long atNanos = System.nanoTime();

    ReferenceBucket(double refillPerSecond) {
      this.refillPerSecond = refillPerSecond;
    }

    double level(long nanos) {
      return Math.min(BURST, level + refillPerSecond * (nanos - atNanos) / 1e9);
    }

    void take(double cost) {
      long now = System.nanoTime();
      level = level(now) - cost;
      atNanos = now;
    }
  }

  /** Nothing is refilled, so that the limit also holds for each node. */
  @Test
  void take_nodesLoseAndRegainRedis_eachGrantsAtMostTheLimitAndNoneDeniesTooEarly() {
    forAllNodes(ROUNDS, LocalNodesIT::takeFromBucket);
  }

  @Test
  void take_bucketAndWindow_noneDeniesTooEarly() {
    forAllNodes(ROUNDS, LocalNodesIT::takeFromBucketAndWindow);
  }

  /** All of the test is within one window. */
  @ParameterizedTest
  @MethodSource("windows")
  void take_window_eachNodeGrantsAtMostTheLimitAndNoneDeniesTooEarly(Limit window) {
    forAllNodes(
        1,
        (random, what, key, nodes) -> {
          for (Node node : nodes) {
            node.limiter = RateLimiter.on(node.store, "w", window);
          }
          takeFromBucket(random, what, key, nodes);
        });
  }

  static List<Limit> windows() {
    return List.of(
        Limit.fixedWindow(BURST, LENGTH),
        Limit.slidingWindow(BURST, LENGTH),
        Limit.slidingLog(BURST, LENGTH));
  }

  /**
   * Tokens that are on lease are missing from the copies, so a node may deny too early by as much
   * as all nodes may lease.
   */
  @Test
  void take_leased_noneDeniesEarlierThanByTheTokensOnLease() {
    forAllNodes(
        1,
        (random, what, key, nodes) -> {
          for (Node node : nodes) {
            node.limiter =
                RateLimiter.on(
                    node.store,
                    "leased",
                    REFILLING,
                    new StoreOptions(FailurePolicy.LOCAL, Consistency.LEASED));
          }
          takeFromLeased(random, what, key, nodes);
        });
  }

  private static void takeFromLeased(Random random, String what, String key, List<Node> nodes) {
    ReferenceBucket bucket = new ReferenceBucket(REFILL_PER_SECOND);
    int fromLease = 0;
    int denied = 0;
    for (int step = 0; step < LEASED_STEPS; step++) {
      Node node = nodes.get(random.nextInt(NODES));
      if (random.nextInt(200) == 0) {
        node.toggle();
      }
      int cost = 1 + random.nextInt(3);
      fromLease += node.limiter.at(key).buckets().isLeased(key) ? 1 : 0;
      long start = System.nanoTime();
      Decision decision = node.limiter.take(key, cost);
      if (decision.allowed()) {
        bucket.take(cost);
      } else {
        denied++;
        assertThat(bucket.level(start))
            .as("%s, step %s, cost %s: %s", what, step, cost, decision)
            .isLessThan(cost + BURST / 2.0 + CLOCK_ERROR);
      }
    }
    System.out.printf(
        "%s: %d of %d requests denied, %d while leased%n", what, denied, LEASED_STEPS, fromLease);
    assertThat(fromLease).as("requests while tokens were leased").isPositive();
    assertThat(denied).isPositive();
  }

  /** One round of requests. */
  private interface Round {
    void run(Random random, String what, String key, List<Node> nodes);
  }

  private static void forAllNodes(int rounds, Round requests) {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    RedisProcess redis = RedisProcess.start();
    List<Node> nodes = new ArrayList<>();
    try {
      for (int i = 0; i < NODES; i++) {
        nodes.add(new Node(redis));
      }
      for (int round = 0; round < rounds; round++) {
        requests.run(random, "seed " + seed + ", round " + round, "k" + round, nodes);
      }
    } finally {
      nodes.forEach(Node::close);
      redis.close();
    }
  }

  /** Takes from the bucket, from the window, or from both. */
  private static void takeFromBucketAndWindow(
      Random random, String what, String key, List<Node> nodes) {
    ReferenceBucket bucket = new ReferenceBucket(REFILL_PER_SECOND);
    ReferenceBucket window = new ReferenceBucket(0);
    nodes.forEach(node -> node.granted = node.grantedByRedis = 0);
    int denied = 0;
    for (int step = 0; step < STEPS; step++) {
      Node node = nodes.get(random.nextInt(NODES));
      if (random.nextInt(40) == 0) {
        node.toggle();
      }
      int cost = 1 + random.nextInt(3);
      // The window is never full again, so it is used rarely.
      boolean ofWindow = random.nextInt(5) == 0;
      boolean ofBucket = !ofWindow || random.nextBoolean();
      List<Claim> claims = new ArrayList<>();
      if (ofBucket) {
        claims.add(node.refilling.at(key, cost));
      }
      if (ofWindow) {
        claims.add(node.window.at(key, cost));
      }
      long start = System.nanoTime();
      Decision decision = RateLimiter.all(claims.toArray(new Claim[0])).take();
      if (decision.allowed()) {
        if (ofBucket) {
          bucket.take(cost);
        }
        if (ofWindow) {
          window.take(cost);
          node.granted += cost;
          node.grantedByRedis += decision.degraded() ? 0 : cost;
          assertThat(node.granted)
              .as("%s, step %s: %s", what, step, decision)
              .isLessThanOrEqualTo(BURST);
        }
      } else {
        denied++;
        boolean bucketDenies = ofBucket && bucket.level(start) < cost + CLOCK_ERROR;
        boolean windowDenies = ofWindow && window.level(start) < cost;
        assertThat(bucketDenies || windowDenies)
            .as(
                "%s, step %s: cost %s, bucket %s (%.3f), window %s (%.0f): %s",
                what,
                step,
                cost,
                ofBucket,
                bucket.level(start),
                ofWindow,
                window.level(start),
                decision)
            .isTrue();
      }
    }
    System.out.printf("%s: %d of %d requests denied%n", what, denied, STEPS);
    assertGrantedByRedis(what, nodes);
  }

  private static void takeFromBucket(Random random, String what, String key, List<Node> nodes) {
    double left = BURST;
    nodes.forEach(node -> node.granted = node.grantedByRedis = 0);
    for (int step = 0; step < STEPS; step++) {
      // One node alone requests more than the limit.
      Node node = nodes.get(random.nextBoolean() ? 0 : random.nextInt(NODES));
      if (random.nextInt(20) == 0) {
        node.toggle();
      }
      int cost = 1 + random.nextInt(3);
      Decision decision = node.limiter.take(key, cost);
      String at = what + ", step " + step + ": " + decision;
      if (decision.allowed()) {
        left -= cost;
        node.granted += cost;
        node.grantedByRedis += decision.degraded() ? 0 : cost;
        assertThat(node.granted).as(at).isLessThanOrEqualTo(BURST);
      } else {
        assertThat(left).as(at).isLessThan(cost);
      }
    }
    assertGrantedByRedis(what, nodes);
  }

  private static void assertGrantedByRedis(String what, List<Node> nodes) {
    assertThat(nodes.stream().mapToDouble(node -> node.grantedByRedis).sum())
        .as(what)
        .isLessThanOrEqualTo(BURST);
  }
}
