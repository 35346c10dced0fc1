package io.penstock.spring;

import io.penstock.policy.Request;
import io.penstock.policy.http.CallerAttributes;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A call of a rate-limited method: its rule, and the key and cost that the call states.
 *
 * @param costThousandths the cost, like {@link Request#costThousandths}
 */
record LimitedCall(String rule, CallerAttributes key, long costThousandths) {
  private static final int DECIMALS = 3;
  private static final BigDecimal MAX_COST = new BigDecimal("1000000000000");

  Request of(@Nullable Request request) {
    return new NamedRequest(request, key, costThousandths);
  }

  /**
   * Converts the value of a key expression: attributes by name, or one value for all {@code names}.
   */
  static CallerAttributes key(@Nullable Object value, Set<String> names) {
    if (value == null) {
      return CallerAttributes.NOTHING;
    }
    if (value instanceof Map<?, ?> attributes) {
      return name -> text(attributes.get(name));
    }
    String text = value.toString();
    return name -> names.contains(name) ? text : null;
  }

  private static @Nullable String text(@Nullable Object value) {
    return value == null ? null : value.toString();
  }

  /** Converts the value of a cost expression to thousandths, rounded up. */
  static long cost(@Nullable Object value) {
    if (!(value instanceof Number number)) {
      throw new IllegalArgumentException("cost must be a number: " + value);
    }
    BigDecimal tokens = new BigDecimal(number.toString());
    if (tokens.signum() < 0 || tokens.compareTo(MAX_COST) > 0) {
      throw new IllegalArgumentException("cost must be from 0 to " + MAX_COST + ": " + tokens);
    }
    return tokens.movePointRight(DECIMALS).setScale(0, RoundingMode.CEILING).longValueExact();
  }
}
