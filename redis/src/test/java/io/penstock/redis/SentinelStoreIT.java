package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisURI;
import io.penstock.Store;
import io.penstock.contract.StoreContract;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

/** The conformance suite, on the primary that sentinels name. */
class SentinelStoreIT extends StoreContract {
  private static SentinelCluster cluster;
  private static ScriptTime time;

  private RedisStore store;

  @BeforeAll
  static void start() {
    cluster = new SentinelCluster(1);
    // No failover may happen here, however slow the machine is.
    cluster
        .sentinels()
        .get(0)
        .command("SENTINEL", "SET", SentinelCluster.NAME, "down-after-milliseconds", "60000");
    time = new ScriptTime(cluster.first());
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @AfterEach
  void everyKeyEnds() {
    assertThat(time.keysWithoutTtl()).isEmpty();
    store.close();
  }

  @Override
  public Store store() {
    if (store != null) {
      store.close();
    }
    time.clear();
    store = time.builder().connect(RedisURI.create(cluster.url()));
    return store;
  }

  @Override
  public void advance(Duration by) {
    time.advance(by);
  }

  @Override
  public Duration tick() {
    return Duration.ofNanos(Ticks.NANOS);
  }
}
