package io.penstock.bench.redis;

import io.lettuce.core.KeyValue;
import java.util.List;
import java.util.Map;

/**
 * A token bucket in a hash of two fields, in floating point, by the clock of the client.
 *
 * @param tokens those there are at {@code millis}
 */
record SeedBucket(double tokens, long millis) {
  static final String TOKENS = "tokens";
  static final String TIME = "ts";
  static final long COST = 1;
  static final long TTL_MILLIS = 60_000;

  /** The bucket as it was read, refilled up to now; a new one is full. */
  static SeedBucket refilled(List<KeyValue<String, String>> fields, Terms terms, long nowMillis) {
    if (!fields.get(0).hasValue() || !fields.get(1).hasValue()) {
      return new SeedBucket(terms.burst, nowMillis);
    }
    double tokens = Double.parseDouble(fields.get(0).getValue());
    long passed = Math.max(0, nowMillis - Long.parseLong(fields.get(1).getValue()));
    return new SeedBucket(
        Math.min(terms.burst, tokens + passed * terms.tokensPerMilli()), nowMillis);
  }

  boolean allows() {
    return tokens >= COST;
  }

  /** The fields after a request was charged, as far as there was something to charge. */
  Map<String, String> charged() {
    return Map.of(TOKENS, "" + Math.max(0, tokens - COST), TIME, "" + millis);
  }
}
