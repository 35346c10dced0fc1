package io.penstock.policy.jwt;

import io.penstock.Limit;
import io.penstock.NanoClock;
import io.penstock.RateLimiter;
import io.penstock.inprocess.InProcessStore;
import org.jspecify.annotations.Nullable;

/**
 * Limits the verification of invalid tokens, because verifying a signature costs more than the rest
 * of a request. Thread-safe.
 *
 * <p>A sender with too many recent invalid tokens is throttled. If all senders together exceed the
 * overall limit, every sender with a recent invalid token is throttled. A sender without invalid
 * tokens is never throttled, whatever others do.
 */
final class VerificationBudget {
  static final int BURST = 10;
  static final int PER_SECOND = 1;
  static final int OVERALL_BURST = 100;
  static final int OVERALL_PER_SECOND = 50;
  private static final int MAX_ADDRESSES = 1 << 16;
  private static final String ALL = "all";
  private static final long BURST_THOUSANDTHS = BURST * 1_000L;

  private final RateLimiter byAddress;
  private final RateLimiter overall;

  VerificationBudget(NanoClock clock) {
    InProcessStore store = InProcessStore.builder().maxKeys(MAX_ADDRESSES).clock(clock).build();
    this.byAddress = RateLimiter.on(store, "bad tokens", Limit.perSecond(PER_SECOND).burst(BURST));
    this.overall =
        RateLimiter.on(
            store, "all bad tokens", Limit.perSecond(OVERALL_PER_SECOND).burst(OVERALL_BURST));
  }

  /**
   * Returns whether to verify a token of this sender. Tokens of unknown senders are always
   * verified.
   *
   * @param sender the address, or the network for IPv6; null if unknown
   */
  boolean allows(@Nullable String sender) {
    if (sender == null) {
      return true;
    }
    long left = byAddress.peek(sender).remainingThousandths();
    return left >= BURST_THOUSANDTHS
        || (left >= 1_000 && overall.peek(ALL).remainingThousandths() >= 1_000);
  }

  /** Charges this sender for an invalid token. */
  void spend(@Nullable String sender) {
    boolean unused = overall.tryAcquire(ALL);
    if (sender != null) {
      unused = byAddress.tryAcquire(sender);
    }
  }
}
