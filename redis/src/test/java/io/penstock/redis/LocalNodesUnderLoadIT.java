package io.penstock.redis;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.lettuce.core.RedisURI;
import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Queue;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Concurrent callers of several nodes, whose requests are in flight when Redis hangs, is lost, or
 * is back. Nothing is refilled, so no clock is involved.
 */
@Tag("full")
class LocalNodesUnderLoadIT {
  private static final int NODES = 3;
  private static final int CALLERS = 4;
  private static final int BURST = 400;
  private static final Limit LIMIT = Limit.perDay(1).burst(BURST);

  /** Each round has its own keys, which are exhausted at different times. */
  private static final int ROUNDS = 4;

  private static final int KEYS = 6;
  private static final int RESPONSES_PER_STATE = 100;
  private static final long PAUSE_NANOS = 200_000;

  /** What happens to Redis. */
  enum Fault {
    /** Redis itself is stopped, for all nodes. */
    HANGS {
      @Override
      void inject(RedisProcess redis, Node node) {
        redis.freeze();
      }

      @Override
      void end(RedisProcess redis, Node node) {
        redis.thaw();
      }
    },
    /** One node receives no replies; its requests are executed. */
    KEEPS_REPLIES {
      @Override
      void inject(RedisProcess redis, Node node) {
        node.proxy.keepReplies(true);
      }

      @Override
      void end(RedisProcess redis, Node node) {
        node.proxy.keepReplies(false);
      }
    },
    /** One node loses its connection. */
    DISCONNECTS {
      @Override
      void inject(RedisProcess redis, Node node) {
        node.proxy.refuse(true);
        node.proxy.reset();
      }

      @Override
      void end(RedisProcess redis, Node node) {
        node.proxy.refuse(false);
      }
    };

    abstract void inject(RedisProcess redis, Node node);

    abstract void end(RedisProcess redis, Node node);
  }

  private static final class Node {
    final FlakyProxy proxy;
    final RedisStore store;
    final RateLimiter limiter;

    Node(RedisProcess redis) {
      proxy = new FlakyProxy(redis.port());
      store =
          RedisStore.builder()
              .deadline(Duration.ofMillis(50))
              .connect(RedisURI.create(proxy.url()));
      limiter = RateLimiter.on(store, "x", LIMIT);
      await("available").until(store::isAvailable);
    }

    void close() {
      store.close();
      proxy.close();
    }
  }

  private record Response(
      int node, String key, int cost, long sentNanos, long receivedNanos, Decision decision) {}

  private final Queue<Response> responses = new ConcurrentLinkedQueue<>();
  private final List<Node> nodes = new ArrayList<>();
  private final AtomicInteger round = new AtomicInteger();
  private volatile boolean stopped;

  @ParameterizedTest
  @EnumSource
  void take_redisFailsUnderLoad_eachNodeGrantsAtMostTheLimitAndNoneDeniesTooEarly(Fault fault)
      throws Exception {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    ExecutorService callers = Executors.newCachedThreadPool();
    try (RedisProcess redis = RedisProcess.start()) {
      for (int i = 0; i < NODES; i++) {
        nodes.add(new Node(redis));
      }
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < NODES * CALLERS; i++) {
        int node = i % NODES;
        long own = random.nextLong();
        running.add(callers.submit(() -> call(node, new Random(own))));
      }
      for (; round.get() < ROUNDS; round.incrementAndGet()) {
        Node node = nodes.get(random.nextInt(NODES));
        awaitResponses(RESPONSES_PER_STATE);
        fault.inject(redis, node);
        await("unavailable").until(() -> !node.store.isAvailable());
        awaitResponses(RESPONSES_PER_STATE);
        fault.end(redis, node);
        await("available").until(() -> nodes.stream().allMatch(each -> each.store.isAvailable()));
        awaitResponses(RESPONSES_PER_STATE);
      }
      stopped = true;
      for (Future<?> caller : running) {
        caller.get(1, TimeUnit.MINUTES);
      }
    } finally {
      stopped = true;
      callers.shutdownNow();
      nodes.forEach(Node::close);
    }
    assertExactlyLimited(fault + ", seed " + seed);
  }

  private void awaitResponses(int more) {
    int before = responses.size();
    await(more + " responses").until(() -> responses.size() >= before + more);
  }

  private void call(int node, Random random) {
    while (!stopped) {
      double uniform = random.nextDouble();
      String key = "r" + round.get() + "k" + (int) (KEYS * uniform * uniform);
      int cost = 1 + random.nextInt(2);
      long sent = System.nanoTime();
      Decision decision = nodes.get(node).limiter.take(key, cost);
      responses.add(new Response(node, key, cost, sent, System.nanoTime(), decision));
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  /** Returns the sum of the granted costs by the time at which they were requested. */
  private static NavigableMap<Long, Integer> sums(List<Response> granted) {
    NavigableMap<Long, Integer> sums = new TreeMap<>(Map.of(Long.MIN_VALUE, 0));
    int sum = 0;
    for (Response each :
        granted.stream().sorted(Comparator.comparingLong(Response::sentNanos)).toList()) {
      sum += each.cost;
      sums.put(each.sentNanos, sum);
    }
    return sums;
  }

  private void assertExactlyLimited(String what) {
    int degraded = 0;
    int denied = 0;
    for (int number = 0; number < ROUNDS; number++) {
      for (int k = 0; k < KEYS; k++) {
        String key = "r" + number + "k" + k;
        List<Response> own = responses.stream().filter(each -> each.key.equals(key)).toList();
        List<Response> granted = own.stream().filter(each -> each.decision.allowed()).toList();
        for (int node = 0; node < NODES; node++) {
          int of = node;
          assertThat(
                  granted.stream().filter(each -> each.node == of).mapToInt(Response::cost).sum())
              .as("%s, key %s, node %s", what, key, node)
              .isLessThanOrEqualTo(BURST);
        }
        NavigableMap<Long, Integer> sentBefore = sums(granted);
        for (Response each : own) {
          degraded += each.decision.degraded() ? 1 : 0;
          if (!each.decision.allowed()) {
            denied++;
            int before = sentBefore.floorEntry(each.receivedNanos).getValue();
            if (before <= BURST - each.cost) {
              fail("%s: only %d granted before %s", what, before, each);
            }
          }
        }
      }
    }
    System.out.printf(
        "%s: %d responses, %d degraded, %d denied%n", what, responses.size(), degraded, denied);
    assertThat(degraded).isPositive();
    assertThat(denied).isPositive();
  }
}
