package io.penstock.redis;

import io.penstock.Limit;
import io.penstock.Rate;
import io.penstock.TokenBucket;
import io.penstock.WindowLimit;
import java.math.BigInteger;

/** A node's share of a limit, for the time when nodes can't ask each other. */
final class NodeShares {
  private static final long TOKEN = 1_000;

  private NodeShares() {}

  /** One of {@code nodes} equal shares; at least one token of burst. */
  static Limit of(Limit limit, int nodes) {
    long share = Math.max(TOKEN, limit.burstThousandths() / nodes);
    if (limit instanceof TokenBucket bucket) {
      Rate rate = bucket.rate();
      Rate part = new Rate(rate.thousandths(), rate.nanos().multiply(BigInteger.valueOf(nodes)));
      return new TokenBucket(part, Math.min(share, Math.max(TOKEN, bucket.burstThousandths())));
    }
    WindowLimit window = (WindowLimit) limit;
    // Logs count whole tokens.
    return new WindowLimit(window.kind(), share / TOKEN * TOKEN, window.window());
  }
}
