package io.penstock.redis;

import io.penstock.Limit;
import io.penstock.Rate;
import io.penstock.TokenBucket;
import io.penstock.WindowLimit;
import java.math.BigInteger;

/** Computes the share of one node in a limit, for use while Redis is unavailable. */
final class NodeShares {
  private static final long TOKEN = 1_000;

  private NodeShares() {}

  /** Returns one of {@code nodes} equal shares, with a burst of at least one token. */
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
