package io.penstock.redis;

import io.lettuce.core.api.StatefulRedisConnection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Checks whether a server may evict buckets before they expire, which would reset them.
 * Thread-safe. A server that doesn't permit the check is assumed to be configured correctly.
 */
final class EvictionWatch {
  private static final String FIELD = "maxmemory_policy:";
  private static final Set<String> SAFE_POLICIES = Set.of("noeviction", "volatile-ttl");

  private final RedisObserver observer;
  private final Set<String> reported = ConcurrentHashMap.newKeySet();

  EvictionWatch(RedisObserver observer) {
    this.observer = observer;
  }

  void check(StatefulRedisConnection<byte[], byte[]> connection) {
    // INFO includes the setting as well, and is permitted more often than CONFIG.
    connection.async().info("memory").thenAccept(this::read);
  }

  private void read(String info) {
    info.lines()
        .filter(line -> line.startsWith(FIELD))
        .map(line -> line.substring(FIELD.length()).trim())
        .filter(policy -> !SAFE_POLICIES.contains(policy) && reported.add(policy))
        .forEach(observer::evicting);
  }
}
