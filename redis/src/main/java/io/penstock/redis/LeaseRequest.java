package io.penstock.redis;

import io.penstock.Decision;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** A lease's call on its way to Redis and back. Nobody waits for it. Thread-safe. */
final class LeaseRequest extends PendingRequest {
  /** How many numbers the script answers. */
  static final int REPLY_LENGTH = 5;

  private final long holder;
  private final Lease.Call call;
  private final BiConsumer<LeaseRequest, Lease.@Nullable Reply> ended;

  /**
   * @param ended is told the reply, or null if there is none
   */
  LeaseRequest(
      BucketRequest part,
      long holder,
      Lease.Call call,
      BiConsumer<LeaseRequest, Lease.@Nullable Reply> ended) {
    // Nobody gives it up before its answer; but what is refused is worth asking again only while
    // the
    // lease would last.
    super(RequestKind.LEASE, List.of(part), call.sentNanos() + Lease.LENGTH_NANOS);
    this.holder = holder;
    this.call = call;
    this.ended = ended;
    var unused = answer().whenComplete(this::givenUp);
  }

  BucketRequest part() {
    return parts().get(0);
  }

  long holder() {
    return holder;
  }

  Lease.Call call() {
    return call;
  }

  /** Says to the script what else it has to know. */
  void write(MessagePackArray numbers) {
    numbers.add(holder).add(call.number()).add(call.keep()).add(call.back()).add(call.want());
    numbers.add(call.grain()).add(Lease.LENGTH_NANOS / Ticks.NANOS);
  }

  /** Redis has answered, from {@code at} on. */
  void replied(long[] replies, int at) {
    TokenBucketCodec codec = (TokenBucketCodec) part().codec();
    long debt = codec.debt(replies, at + 1);
    long level = codec.fixedRate().remaining(debt);
    long reset = Ticks.toNanos(codec.fixedRate().ticks(debt));
    Lease.Reply reply =
        new Lease.Reply(replies[at], replies[at + 3], replies[at + 4], level, reset);
    RedisBuckets buckets = part().buckets();
    if (answer(Decision.allowed(buckets.name(), buckets.limit(), level, reset, 0))) {
      ended.accept(this, reply);
    }
  }

  private void givenUp(@Nullable Decision decision, @Nullable Throwable failure) {
    if (decision == null || decision.degraded()) {
      ended.accept(this, null);
    }
  }
}
