package io.penstock.policy.jwt;

import io.penstock.Limit;
import io.penstock.NanoClock;
import io.penstock.RateLimiter;
import io.penstock.inprocess.InProcessStore;
import org.jspecify.annotations.Nullable;

/**
 * How many bad tokens are looked at before their senders' tokens are rejected unseen, because a
 * signature costs more than all the rest of a request. For many threads.
 *
 * <p>An address that has sent too many of late is throttled. When all addresses together have, so
 * is every address that has sent any of late. One that has sent none never is, whatever others do.
 */
final class VerificationBudget {
  static final int BURST = 10;
  static final int PER_SECOND = 1;
  static final int OVERALL_BURST = 100;
  static final int OVERALL_PER_SECOND = 50;
  private static final int MAX_ADDRESSES = 1 << 16;
  private static final String ALL = "all";
  private static final long WHOLE_BURST = BURST * 1_000L;

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
   * Whether a token of this sender is to be verified. If the sender is unknown, every token is.
   *
   * @param sender the address, of IPv6 its network; null if unknown
   */
  boolean allows(@Nullable String sender) {
    if (sender == null) {
      return true;
    }
    long left = byAddress.peek(sender).remainingThousandths();
    return left >= WHOLE_BURST
        || (left >= 1_000 && overall.peek(ALL).remainingThousandths() >= 1_000);
  }

  /** Charges this sender for a bad token. */
  void spend(@Nullable String sender) {
    boolean unused = overall.tryAcquire(ALL);
    if (sender != null) {
      unused = byAddress.tryAcquire(sender);
    }
  }
}
