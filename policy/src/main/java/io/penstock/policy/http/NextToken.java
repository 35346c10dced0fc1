package io.penstock.policy.http;

import static io.penstock.policy.http.Rounding.NANOS_PER_SECOND;
import static io.penstock.policy.http.Rounding.TOKEN;

import io.penstock.Decision;
import io.penstock.Rate;
import io.penstock.TokenBucket;
import java.math.BigInteger;

/** Computes when a token bucket that allowed a request gains its next whole token. Immutable. */
final class NextToken {
  private static final long NANOS_PER_MICRO = 1_000;
  private static final BigInteger MAX_NANOS = BigInteger.valueOf(Long.MAX_VALUE / TOKEN);
  private static final BigInteger MAX_THOUSANDTHS = BigInteger.valueOf(Long.MAX_VALUE);

  private final Rate rate;
  private final long burst;
  private final boolean fitsInLong;
  private final long thousandths;
  private final long nanos;

  NextToken(TokenBucket bucket) {
    this.rate = bucket.rate();
    this.burst = bucket.burstThousandths();
    this.fitsInLong =
        rate.nanos().compareTo(MAX_NANOS) <= 0
            && rate.thousandths().compareTo(MAX_THOUSANDTHS) <= 0;
    this.thousandths = fitsInLong ? rate.thousandths().longValueExact() : 0;
    this.nanos = fitsInLong ? rate.nanos().longValueExact() : 0;
  }

  /** Returns the seconds, rounded up, until there is one more whole token; 0 for a full bucket. */
  long seconds(Decision decision) {
    long remaining = decision.remainingThousandths();
    long missing = Math.min(TOKEN - remaining % TOKEN, burst - remaining);
    if (missing <= 0) {
      return 0;
    }
    long delayNanos = decision.delay().toNanos();
    return seconds(delayNanos == 0 ? nanosRoundedUp(missing) : afterDelay(delayNanos, missing));
  }

  /**
   * A delay has been rounded up to a tick of its store, which is at most a microsecond. Up to a
   * microsecond is therefore subtracted, so that this rounding doesn't turn two seconds into three.
   */
  private long afterDelay(long delayNanos, long missing) {
    long sum = delayNanos + nanosRoundedUp(missing);
    return ((sum < 0 ? Long.MAX_VALUE : sum) - 1) / NANOS_PER_MICRO * NANOS_PER_MICRO;
  }

  private static long seconds(long nanos) {
    return nanos / NANOS_PER_SECOND + (nanos % NANOS_PER_SECOND == 0 ? 0 : 1);
  }

  private long nanosRoundedUp(long missing) {
    if (!fitsInLong) {
      BigInteger[] parts =
          BigInteger.valueOf(missing).multiply(rate.nanos()).divideAndRemainder(rate.thousandths());
      return parts[0].longValueExact() + parts[1].signum();
    }
    long product = missing * nanos;
    return product / thousandths + (product % thousandths == 0 ? 0 : 1);
  }
}
