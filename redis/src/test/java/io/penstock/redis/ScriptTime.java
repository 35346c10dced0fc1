package io.penstock.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;

/**
 * A time for the store's script that a test controls. The script is the real one with two changes:
 * it reads the time from a key, and its values live an hour longer, because the server expires keys
 * by its own clock.
 */
final class ScriptTime {
  private static final String KEY = "test:now";
  private static final String TIME = "local time = redis.call('TIME')\n";
  private static final String NOW = "local now = time[1] * 1000000 + time[2]\n";
  static final long START = 1_790_000_000_000_000L;

  private final RedisCommands<String, String> redis;
  private long micros;

  ScriptTime(RedisProcess process) {
    this.redis = RedisClient.create(process.url()).connect().sync();
    set(START);
  }

  static Script script() {
    return script("'" + KEY + "'");
  }

  /**
   * @param key the key of the time, as a Lua expression
   */
  static Script script(String key) {
    String text = Script.decideText();
    if (!text.contains(TIME) || !text.contains(NOW)) {
      throw new IllegalStateException("the script reads the time differently");
    }
    return Script.of(
        text.replace(TIME, "")
            .replace(
                NOW,
                // A probe has no keys, and so no slot for the time.
                "local now = names[1] and tonumber(redis.call('GET', " + key + ")) or 0\n")
            .replace("'PX', ceil(", "'PX', 3600000 + ceil(")
            .replace("'PEXPIRE', key, ceil(", "'PEXPIRE', key, 3600000 + ceil("));
  }

  void set(long micros) {
    this.micros = micros;
    redis.set(KEY, Long.toString(micros));
  }

  void advance(Duration by) {
    set(micros + by.toNanos() / Ticks.NANOS);
  }

  long nanos() {
    return micros * Ticks.NANOS;
  }

  /** Returns an empty store with this time. */
  RedisStore store(RedisProcess process, boolean denialMemory) {
    clear();
    return builder().denialMemory(denialMemory).connect(RedisURI.create(process.url()));
  }

  /** Removes all keys from Redis except the time, which stays the same. */
  void clear() {
    redis.flushall();
    set(micros);
  }

  /** Options for stores with this time and a long deadline. */
  RedisStoreBuilder builder() {
    return RedisStore.builder()
        .script(script())
        .denialClock(this::nanos)
        .startTimeout(Duration.ofSeconds(10))
        .deadline(Duration.ofSeconds(10));
  }

  long micros() {
    return micros;
  }

  /** Returns keys without a time to live. */
  List<String> keysWithoutTtl() {
    return redis.keys("penstock:*").stream().filter(key -> redis.pttl(key) < 0).toList();
  }
}
