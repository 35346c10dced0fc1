package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Store;
import io.penstock.StoreContract;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

/** The conformance suite, on a real Redis whose time the test controls. */
class RedisStoreIT extends StoreContract {
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
    store.close();
  }

  @Override
  protected Store store() {
    if (store != null) {
      store.close();
    }
    store = time.store(redis, true);
    return store;
  }

  @Override
  protected void advance(Duration by) {
    time.advance(by);
  }

  @Override
  protected Duration tick() {
    return Duration.ofNanos(Ticks.NANOS);
  }
}
