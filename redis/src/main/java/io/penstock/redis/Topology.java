package io.penstock.redis;

import java.time.Duration;
import java.util.List;

/** Which servers there are, and which buckets each of them has. Thread-safe. */
interface Topology {
  /** The calls with which requests for a bucket go. */
  CallBatcher calls(BucketRequest part);

  /** Those of one request put together that can be asked for in one call, in their order. */
  List<List<BucketRequest>> together(List<BucketRequest> parts);

  /** Whether all buckets can be asked for. */
  boolean isAvailable();

  /** Why some buckets can't be asked for; empty if all can. */
  String unavailableReason();

  /** About how many requests are under way. */
  int requestsUnderWay();

  /** Looks for Redis for the first time, and waits until it is there, for {@code most}. */
  void begin(Duration most);

  void close();
}
