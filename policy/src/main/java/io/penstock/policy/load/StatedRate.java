package io.penstock.policy.load;

import io.penstock.Rate;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A rate as written in a rule: a number of tokens per period. Immutable. */
record StatedRate(BigDecimal tokens, Duration period) {
  private static final Pattern FORM =
      Pattern.compile("([-+.0-9]{1,40})\\s*/\\s*([0-9]{0,9}\\s*[a-z]{1,10})");
  private static final BigInteger NANOS_PER_SECOND = BigInteger.valueOf(1_000_000_000);

  /** Parses {@code 5/min}, {@code 100/10s} or {@code 0.083/s}. */
  static StatedRate parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("must be like 10/s, 5/min or 100/10s: " + text);
    }
    BigDecimal tokens = Decimals.positive(Decimals.parse(matcher.group(1)));
    String period = matcher.group(2);
    boolean counted = Character.isDigit(period.charAt(0));
    return new StatedRate(tokens, Periods.parse(counted ? period : "1" + period));
  }

  static StatedRate perSecond(BigDecimal tokens) {
    return new StatedRate(Decimals.positive(tokens), Duration.ofSeconds(1));
  }

  Rate rate() {
    return Rate.of(tokens, period);
  }

  /** Returns whether the tokens of one second exceed {@code burstThousandths}. */
  static boolean exceedsBurst(Rate rate, long burstThousandths) {
    BigInteger second = rate.thousandths().multiply(NANOS_PER_SECOND);
    return second.compareTo(rate.nanos().multiply(BigInteger.valueOf(burstThousandths))) > 0;
  }
}
