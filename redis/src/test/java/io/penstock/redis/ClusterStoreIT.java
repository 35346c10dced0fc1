package io.penstock.redis;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.RateLimiter;
import io.penstock.Store;
import io.penstock.contract.StoreContract;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

/** The conformance suite, on a cluster whose time the test controls. */
class ClusterStoreIT extends StoreContract {
  private static ClusterProcesses cluster;
  private static ClusterTime time;

  private RedisStore store;

  @BeforeAll
  static void start() {
    cluster = new ClusterProcesses();
    time = new ClusterTime(cluster);
  }

  @AfterAll
  static void stop() {
    for (int i = 0; i < 3; i++) {
      String stats = cluster.replica(i).command("INFO", "commandstats");
      assertThat(stats).as("replicas are never called").doesNotContain("cmdstat_eval");
    }
    time.close();
    cluster.close();
  }

  @AfterEach
  void everyKeyEnds() {
    assertThat(cluster.keysWithoutTtl()).isEmpty();
    store.close();
  }

  @Override
  public Store store() {
    if (store != null) {
      store.close();
    }
    time.clear();
    store = time.builder().connect(cluster.url());
    return store;
  }

  @Override
  public void advance(Duration by) {
    time.advance(by);
  }

  @Override
  public double remaining(RateLimiter limiter, String key, double expected) {
    await("given back").until(() -> limiter.peek(key).remaining() == expected);
    return expected;
  }

  @Override
  public Duration tick() {
    return Duration.ofNanos(Ticks.NANOS);
  }
}
