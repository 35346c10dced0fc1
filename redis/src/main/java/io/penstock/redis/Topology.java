package io.penstock.redis;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The servers, and the buckets that each of them has. Thread-safe. */
interface Topology {
  /** Returns the batcher for requests to a bucket. */
  CallBatcher batcher(RedisClaim claim);

  /** Returns the server that has a key; null if none is known. */
  @Nullable Server serverOf(String redisKey);

  /** Groups the claims of a request by what one call can decide, in order. */
  List<List<RedisClaim>> groupByCall(List<RedisClaim> claims);

  /** Whether all buckets are available. */
  boolean isAvailable();

  /** Why some buckets are unavailable; null if all are available, or if that is unknown. */
  @Nullable RedisOutage outage();

  /**
   * An estimate of how many callers wait for Redis: the number of requests that were sent and have
   * no reply yet.
   */
  int estimatedWaitingCallers();

  /**
   * Starts connecting, and waits until Redis is available or unavailable for a reason that is not
   * temporary, at most {@code timeout}.
   */
  void start(Duration timeout);

  void close();
}
