package io.penstock.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;

/**
 * A time for the store's script that a test moves. The script is the real one but for two things:
 * its time is read from a key, and what it writes is kept for an hour longer, because the server
 * lets keys expire by its own time.
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
   * @param key where the time is, in Lua
   */
  static Script script(String key) {
    String text = Script.decideText();
    if (!text.contains(TIME) || !text.contains(NOW)) {
      throw new IllegalStateException("the script reads its time in another way");
    }
    return Script.of(
        text.replace(TIME, "")
            .replace(
                NOW,
                // A probe has no keys, and so no slot in which the time could be.
                "local now = KEYS[1] and tonumber(redis.call('GET', " + key + ")) or 0\n")
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

  /** A store that lives by this time, with nothing in it. */
  RedisStore store(RedisProcess process, boolean denialMemory) {
    clear();
    return builder().denialMemory(denialMemory).connect(RedisURI.create(process.url()));
  }

  /** Nothing is in Redis any more, and it is no other time. */
  void clear() {
    redis.flushall();
    set(micros);
  }

  /** For stores that live by this time, patient ones. */
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

  /** Names of keys that would stay for ever. */
  List<String> keysWithoutEnd() {
    return redis.keys("penstock:*").stream().filter(key -> redis.pttl(key) < 0).toList();
  }
}
