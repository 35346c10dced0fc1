package io.penstock.redis;

import static io.penstock.testing.Waiting.await;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.codec.ByteArrayCodec;
import io.penstock.Consistency;
import io.penstock.Decision;
import io.penstock.FailurePolicy;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.StoreOptions;
import io.penstock.testing.Ports;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Connecting to a cluster: by one of its servers, by a connection, with few permissions, too early.
 */
@Tag("full")
class ClusterConnectIT {
  private static final Limit LIMIT = Limit.perDay(1).burst(100);
  private static final StoreOptions CLOSED =
      new StoreOptions(FailurePolicy.CLOSED, Consistency.EXACT);

  /** Lettuce logs by way of the JDK if SLF4J has no backend. */
  private static final Logger LETTUCE = Logger.getLogger("io.lettuce");

  private static ClusterProcesses cluster;

  @BeforeAll
  static void start() {
    cluster = new ClusterProcesses(3, 0);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static void assertExact(RedisStore store, String name) {
    RateLimiter limiter = RateLimiter.on(store, name, LIMIT, CLOSED);
    for (int i = 0; i < 3; i++) {
      Decision decision = limiter.take(cluster.keyAt(i, 0));
      assertThat(decision.degraded()).as("server %d", i).isFalse();
      assertThat(decision.remaining()).isEqualTo(99);
    }
    assertThat(
            RateLimiter.all(limiter.at(cluster.keyAt(0, 0)), limiter.global().at())
                .take()
                .degraded())
        .isFalse();
  }

  @Test
  void connect_oneServer_findsTheOthers() {
    try (RedisStore store =
        patient().connect("redis-cluster://127.0.0.1:" + cluster.primaries().get(1).port())) {
      assertExact(store, "one");
    }
  }

  /**
   * Lettuce warns that a connection is already closed if its client closes it again. Clients of
   * other tests may still try to reconnect to servers that have stopped.
   */
  @Test
  void close_connected_logsNoWarning() {
    List<String> warnings = new CopyOnWriteArrayList<>();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord line) {
            if (!line.getMessage().contains("econnect")) {
              warnings.add(line.getMessage());
            }
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    handler.setLevel(Level.WARNING);
    LETTUCE.addHandler(handler);
    Set<Thread> others = clientThreads(Set.of());
    try {
      for (int i = 0; i < 10; i++) {
        try (RedisStore store =
            patient().connect("redis-cluster://127.0.0.1:" + cluster.primaries().get(0).port())) {
          await("connected").until(store::isAvailable);
        }
        await("closed").untilAsserted(() -> assertThat(clientThreads(others)).isEmpty());
      }
    } finally {
      LETTUCE.removeHandler(handler);
    }
    assertThat(warnings).isEmpty();
  }

  private static Set<Thread> clientThreads(Set<Thread> others) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("lettuce-") && !others.contains(thread))
        .collect(Collectors.toSet());
  }

  @Test
  void connect_someServersUnavailable_findsTheOthers() {
    int unusedPort = Ports.free();
    try (RedisStore store =
        patient()
            .connect(
                "redis-cluster://127.0.0.1:%d,127.0.0.1:%d"
                    .formatted(unusedPort, cluster.primaries().get(2).port()))) {
      await("found").until(store::isAvailable);
      assertExact(store, "some");
    }
  }

  @Test
  void connect_noServerAvailable_isDecidedByFailurePolicy() {
    try (RedisStore store =
        RedisStore.builder()
            .startTimeout(Duration.ofMillis(50))
            .connect("redis-cluster://127.0.0.1:" + Ports.free())) {
      assertThat(store.isAvailable()).isFalse();
      Decision decision = RateLimiter.on(store, "none", LIMIT, CLOSED).take("k");
      assertThat(decision.degraded()).isTrue();
      assertThat(decision.allowed()).isFalse();
    }
  }

  @Test
  void on_aConnectionOfTheApplication_isUsedAndLeftOpen() {
    RedisClusterClient client =
        RedisClusterClient.create("redis://127.0.0.1:" + cluster.primaries().get(0).port());
    try (var connection = client.connect(ByteArrayCodec.INSTANCE)) {
      try (RedisStore store = patient().on(connection)) {
        assertExact(store, "own");
      }
      assertThat(connection.isOpen()).isTrue();
      assertThat(connection.sync().get("nothing".getBytes(UTF_8))).isNull();
    } finally {
      var unused = client.shutdownAsync();
    }
  }

  @Test
  void connect_withTheDocumentedRights_isEnough() {
    for (RedisProcess server : cluster.primaries()) {
      ClusterProcesses.must(
          server,
          ("ACL SETUSER penstock on >password ~penstock:* +hello +evalsha +eval +time +get +mget"
                  + " +set +del +llen +lindex +lset +ltrim +rpush +pexpire +cluster|slots +asking"
                  + " +ping")
              .split(" "));
    }
    String key = cluster.keyAt(0, 7);
    int slot = SlotTable.slotOf("{" + key + "}");
    try (RedisStore store =
        patient()
            .connect(
                "redis-cluster://penstock:password@127.0.0.1:"
                    + cluster.primaries().get(0).port())) {
      assertExact(store, "rights");
      RateLimiter limiter = RateLimiter.on(store, "asking", LIMIT, CLOSED);
      RedisProcess from = cluster.primaries().get(0);
      RedisProcess to = cluster.primaries().get(1);
      cluster.beginMove(slot, from, to);
      assertThat(limiter.take(key).remaining()).as("by ASK").isEqualTo(99);
      assertThat(limiter.take(key).remaining()).isEqualTo(98);
      cluster.moveKeys(slot, from, to);
      cluster.endMove(slot, from, to);
      assertThat(limiter.take(key).remaining()).as("by MOVED").isEqualTo(97);
    }
  }

  private static RedisStoreBuilder patient() {
    return RedisStore.builder()
        .startTimeout(Duration.ofSeconds(10))
        .deadline(Duration.ofSeconds(10));
  }
}
