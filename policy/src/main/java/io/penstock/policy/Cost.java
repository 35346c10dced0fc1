package io.penstock.policy;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The cost of a request under a rule, in thousandths of a token. Immutable.
 *
 * @param source the attribute that the cost is read from; null for a fixed cost
 * @param fallbackThousandths the fixed cost, or the cost if the source has no valid value
 * @param minimumThousandths the minimum cost from a source
 */
public record Cost(@Nullable Attribute source, long fallbackThousandths, long minimumThousandths) {
  /**
   * The result of {@link #of} if the source is repeated and the rule accepts none of its values.
   */
  static final long AMBIGUOUS = -1;

  /** One token for every request. */
  public static final Cost ONE = fixed(1_000);

  private static final int MAX_WHOLE_DIGITS = 12;
  private static final int MAX_DECIMALS = 9;
  private static final int COUNTED_DECIMALS = 3;

  public Cost {
    if (fallbackThousandths <= 0 || minimumThousandths <= 0) {
      throw new IllegalArgumentException(
          "cost must be positive: " + fallbackThousandths + ", " + minimumThousandths);
    }
  }

  /** Returns a cost that is the same for every request. */
  public static Cost fixed(long thousandths) {
    return new Cost(null, thousandths, thousandths);
  }

  /**
   * Returns the cost of {@code request} under a rule, or {@link #AMBIGUOUS}. Of joined values the
   * largest counts, so that adding a second value never makes a request cheaper.
   */
  long of(Request request, RepeatedKey onRepeated) {
    if (source == null) {
      long stated = request.costThousandths();
      return stated == Request.UNSTATED ? fallbackThousandths : stated;
    }
    String text = source.of(request);
    List<String> several = text == null ? null : source.repeated(request, text);
    if (text != null && several != null) {
      if (onRepeated == RepeatedKey.JOIN) {
        return several.stream().mapToLong(this::parseOrFallback).max().orElse(fallbackThousandths);
      }
      text = source.choose(onRepeated, request, text, several);
      if (text == null) {
        return AMBIGUOUS;
      }
    }
    return text == null ? Math.max(fallbackThousandths, minimumThousandths) : parseOrFallback(text);
  }

  private long parseOrFallback(String text) {
    long parsed = parse(text);
    return Math.max(parsed <= 0 ? fallbackThousandths : parsed, minimumThousandths);
  }

  /**
   * Parses a plain decimal of up to twelve digits and nine decimal places, rounded up to a
   * thousandth. Returns -1 for anything else.
   */
  static long parse(String text) {
    int length = text.length();
    int point = text.indexOf('.');
    int wholeDigits = point < 0 ? length : point;
    int decimals = point < 0 ? 0 : length - point - 1;
    if (wholeDigits == 0 || wholeDigits > MAX_WHOLE_DIGITS || decimals > MAX_DECIMALS) {
      return -1;
    }
    if (point >= 0 && decimals == 0) {
      return -1;
    }
    long value = 0;
    boolean roundUp = false;
    for (int i = 0; i < length; i++) {
      if (i == point) {
        continue;
      }
      int digit = text.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      if (point >= 0 && i > point + COUNTED_DECIMALS) {
        roundUp |= digit > 0;
      } else {
        value = value * 10 + digit;
      }
    }
    for (int i = Math.min(decimals, COUNTED_DECIMALS); i < COUNTED_DECIMALS; i++) {
      value *= 10;
    }
    return roundUp ? value + 1 : value;
  }
}
