package io.penstock.bench.redis;

import io.lettuce.core.KeyValue;
import java.util.List;
import java.util.Map;

/**
 * A token bucket in a hash of two fields, in floating point, with the clock of the client.
 *
 * @param tokens the tokens at {@code millis}
 */
record SeedBucket(double tokens, long millis) {
  static final String TOKENS = "tokens";
  static final String TIME = "ts";
  static final long COST = 1;
  static final long TTL_MILLIS = 60_000;

  /** Returns the bucket refilled up to now; a new bucket is full. */
  static SeedBucket refilled(
      List<KeyValue<String, String>> fields, RedisLimits limits, long nowMillis) {
    if (!fields.get(0).hasValue() || !fields.get(1).hasValue()) {
      return new SeedBucket(limits.burst, nowMillis);
    }
    double tokens = Double.parseDouble(fields.get(0).getValue());
    long passed = Math.max(0, nowMillis - Long.parseLong(fields.get(1).getValue()));
    return new SeedBucket(
        Math.min(limits.burst, tokens + passed * limits.tokensPerMilli()), nowMillis);
  }

  boolean allows() {
    return tokens >= COST;
  }

  /** Returns the fields after a request, with at least 0 tokens. */
  Map<String, String> charged() {
    return Map.of(TOKENS, "" + Math.max(0, tokens - COST), TIME, "" + millis);
  }
}
