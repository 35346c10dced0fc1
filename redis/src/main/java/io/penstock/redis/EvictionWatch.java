package io.penstock.redis;

import io.lettuce.core.api.StatefulRedisConnection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Looks whether a server would drop buckets before their time, which gives their keys full ones.
 * Thread-safe. A server that doesn't let us look is believed to be in order.
 */
final class EvictionWatch {
  private static final String SETTING = "maxmemory_policy:";
  private static final Set<String> HARMLESS = Set.of("noeviction", "volatile-ttl");

  private final RedisObserver observer;
  private final Set<String> told = ConcurrentHashMap.newKeySet();

  EvictionWatch(RedisObserver observer) {
    this.observer = observer;
  }

  void lookAt(StatefulRedisConnection<byte[], byte[]> connection) {
    // INFO says it as well as CONFIG does, and is allowed in more places.
    connection.async().info("memory").thenAccept(this::read);
  }

  private void read(String info) {
    info.lines()
        .filter(line -> line.startsWith(SETTING))
        .map(line -> line.substring(SETTING.length()).trim())
        .filter(policy -> !HARMLESS.contains(policy) && told.add(policy))
        .forEach(observer::evicting);
  }
}
