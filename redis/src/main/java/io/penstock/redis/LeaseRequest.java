package io.penstock.redis;

import io.penstock.Decision;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** A call that renews or returns a lease. No caller waits for it. Thread-safe. */
final class LeaseRequest extends PendingRequest {
  /** The number of values in the reply of the script. */
  static final int REPLY_LENGTH = 5;

  private final long holder;
  private final Lease.LeaseCall call;
  private final BiConsumer<LeaseRequest, Lease.@Nullable LeaseReply> ended;

  /**
   * @param ended receives the reply, or null if there is none
   */
  LeaseRequest(
      RedisClaim claim,
      long holder,
      Lease.LeaseCall call,
      BiConsumer<LeaseRequest, Lease.@Nullable LeaseReply> ended) {
    // No deadline applies before the response, but a rejected call is only worth a retry during the
    // lifetime of the lease.
    super(
        Operation.LEASE,
        List.of(claim),
        call.sentNanos() + Lease.LENGTH_NANOS,
        holder,
        call.number(),
        call.keep(),
        call.back(),
        call.want(),
        call.grain(),
        Lease.LENGTH_NANOS / Ticks.NANOS);
    this.holder = holder;
    this.call = call;
    this.ended = ended;
    var unused = decision().whenComplete(this::completed);
  }

  RedisClaim claim() {
    return claims().get(0);
  }

  long holder() {
    return holder;
  }

  Lease.LeaseCall call() {
    return call;
  }

  /** Processes the reply of the script, which starts at {@code at}. */
  void replied(long[] replies, int at) {
    TokenBucketCodec codec = (TokenBucketCodec) claim().codec();
    long debt = codec.debt(replies, at + 1);
    long level = codec.fixedRate().remaining(debt);
    long reset = Ticks.toNanos(codec.fixedRate().ticks(debt));
    Lease.LeaseReply reply =
        new Lease.LeaseReply(replies[at], replies[at + 3], replies[at + 4], level, reset);
    RedisBuckets buckets = claim().buckets();
    if (completeWithReply(Decision.allow(buckets.name(), buckets.limit(), level, reset, 0))) {
      ended.accept(this, reply);
    }
  }

  private void completed(@Nullable Decision decision, @Nullable Throwable failure) {
    if (decision == null || decision.degraded()) {
      ended.accept(this, null);
    }
  }
}
