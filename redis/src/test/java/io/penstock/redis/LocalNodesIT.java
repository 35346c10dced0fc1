package io.penstock.redis;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisURI;
import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Several nodes that lose and regain Redis at different times. Nothing is refilled, so that the
 * reference model is a single number: what is left of the burst after all grants of all nodes.
 */
@Tag("full")
class LocalNodesIT {
  private static final int BURST = 40;
  private static final int NODES = 3;
  private static final int STEPS = 200;

  /** A node with its own connection to Redis. */
  private static final class Node {
    final FlakyProxy proxy;
    final RedisStore store;
    final RateLimiter limiter;
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

  @Test
  void take_nodesLoseAndRegainRedis_eachGrantsAtMostTheLimitAndNoneDeniesTooEarly() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    RedisProcess redis = RedisProcess.start();
    List<Node> nodes = new ArrayList<>();
    try {
      for (int i = 0; i < NODES; i++) {
        nodes.add(new Node(redis));
      }
      for (int round = 0; round < 3; round++) {
        run(random, "seed " + seed + ", round " + round, "k" + round, nodes);
      }
    } finally {
      nodes.forEach(Node::close);
      redis.close();
    }
  }

  private static void run(Random random, String what, String key, List<Node> nodes) {
    double left = BURST;
    nodes.forEach(node -> node.granted = node.grantedByRedis = 0);
    for (int step = 0; step < STEPS; step++) {
      Node node = nodes.get(random.nextInt(NODES));
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
    assertThat(nodes.stream().mapToDouble(node -> node.grantedByRedis).sum())
        .as(what)
        .isLessThanOrEqualTo(BURST);
  }
}
