package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Store;
import io.penstock.contract.FailurePolicyContract;
import io.penstock.contract.StoreContract;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

/** The conformance suite, on a real Redis whose time the test controls. */
class RedisStoreIT extends StoreContract implements FailurePolicyContract {
  private static RedisProcess redis;
  private static ScriptTime time;

  private RedisStore store;

  @BeforeAll
  static void start() {
    redis = RedisProcess.start();
    time = new ScriptTime(redis);
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  @AfterEach
  void everyKeyEnds() {
    assertThat(time.keysWithoutTtl()).isEmpty();
    if (store != null) {
      store.close();
    }
  }

  @Override
  public Store store() {
    if (store != null) {
      store.close();
    }
    store = time.store(redis, true);
    return store;
  }

  @Override
  public Store unavailableStore() {
    // Nothing listens on this port.
    return RedisStore.builder()
        .nodes(1)
        .startTimeout(Duration.ofMillis(1))
        .deadline(Duration.ofMillis(100))
        .connect("redis://127.0.0.1:1");
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
