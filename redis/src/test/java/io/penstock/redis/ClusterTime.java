package io.penstock.redis;

import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.sync.RedisAdvancedClusterCommands;
import io.penstock.contract.StoreContract;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A time for the store's script that a test controls, on a cluster. A script can only access keys
 * in its own slot, so the time is stored once for every key that the test uses.
 */
final class ClusterTime implements AutoCloseable {
  private static final String KEY = "'test:now:{' .. string.match(names[1], '{(.-)}') .. '}'";
  private static final List<String> TAGS = tags();

  private final RedisClusterClient client;
  private final RedisAdvancedClusterCommands<String, String> redis;
  private long micros;

  ClusterTime(ClusterProcesses cluster) {
    this.client =
        RedisClusterClient.create("redis://127.0.0.1:" + cluster.primaries().get(0).port());
    this.redis = client.connect().sync();
    set(ScriptTime.START);
  }

  private static List<String> tags() {
    List<String> tags = new ArrayList<>(List.of("k", "another", "global", "a", "b", "c", "d"));
    tags.addAll(StoreContract.UNUSUAL_KEYS);
    return tags;
  }

  private void set(long micros) {
    this.micros = micros;
    TAGS.forEach(tag -> redis.set("test:now:{" + tag + "}", Long.toString(micros)));
  }

  void advance(Duration by) {
    set(micros + by.toNanos() / Ticks.NANOS);
  }

  /** Removes all keys from Redis except the time, which stays the same. */
  void clear() {
    redis.flushall();
    set(micros);
  }

  /** Options for stores with this time and a long deadline. */
  RedisStoreBuilder builder() {
    return RedisStore.builder()
        .script(ScriptTime.script(KEY))
        .denialClock(() -> micros * Ticks.NANOS)
        .startTimeout(Duration.ofSeconds(10))
        .deadline(Duration.ofSeconds(10));
  }

  @Override
  public void close() {
    var unused = client.shutdownAsync();
  }
}
