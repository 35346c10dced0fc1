package io.penstock.policy;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.math.BigDecimal;
import java.math.RoundingMode;

/** Costs from clients: a plain decimal counts exactly, and anything else is ignored. */
public final class CostFuzz {
  private static final long FALLBACK = 3_000;
  private static final long MIN = 500;
  private static final Cost COST = new Cost(Attribute.parse("header:cost"), FALLBACK, MIN);

  private CostFuzz() {}

  public static void fuzzerTestOneInput(byte[] input) {
    String text = new String(input, UTF_8);
    long cost = COST.of(ExplicitRequest.builder().header("cost", text).build(), RepeatedKey.DENY);
    if (cost != expected(text)) {
      throw new AssertionError(text + " costs " + cost + ", not " + expected(text));
    }
  }

  private static long expected(String text) {
    if (!text.matches("[0-9]{1,12}(\\.[0-9]{1,9})?")) {
      return FALLBACK;
    }
    BigDecimal thousandths = new BigDecimal(text).movePointRight(3);
    long parsed = thousandths.setScale(0, RoundingMode.CEILING).longValueExact();
    return parsed == 0 ? FALLBACK : Math.max(parsed, MIN);
  }
}
