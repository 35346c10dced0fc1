package io.penstock.policy;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a request costs under a rule, in thousandths of a token. Immutable.
 *
 * @param source where the cost is read from; null for a fixed one
 * @param fallback the fixed cost, or what a source that doesn't say costs
 * @param least the smallest cost that a source can say
 */
public record Cost(@Nullable Attribute source, long fallback, long least) {
  /** What {@link #of} returns if the source has several values, and none of them counts. */
  static final long AMBIGUOUS = -1;

  private static final int MAX_WHOLE_DIGITS = 12;
  private static final int MAX_DECIMALS = 9;
  private static final int COUNTED_DECIMALS = 3;

  public Cost {
    if (fallback <= 0 || least <= 0) {
      throw new IllegalArgumentException("cost must be positive: " + fallback + ", " + least);
    }
  }

  /** The same for every request. */
  public static Cost fixed(long thousandths) {
    return new Cost(null, thousandths, thousandths);
  }

  /**
   * What {@code request} costs under a rule, or {@link #AMBIGUOUS}. Of joined values the largest
   * counts, so that no second one makes a request cheaper.
   */
  long of(Request request, RepeatedKey onRepeated) {
    if (source == null) {
      long stated = request.cost();
      return stated == Request.UNSTATED ? fallback : stated;
    }
    String text = source.of(request);
    List<String> several = text == null ? null : source.repeated(request, text);
    if (text != null && several != null) {
      if (onRepeated == RepeatedKey.JOIN) {
        return several.stream().mapToLong(this::said).max().orElse(fallback);
      }
      text = onRepeated.chosen(text, several);
      if (text == null) {
        return AMBIGUOUS;
      }
    }
    return text == null ? Math.max(fallback, least) : said(text);
  }

  private long said(String text) {
    long said = parse(text);
    return Math.max(said <= 0 ? fallback : said, least);
  }

  /**
   * Reads a plain decimal of up to twelve digits and nine decimal places, rounded up to a
   * thousandth; -1 for anything else.
   */
  static long parse(String text) {
    int length = text.length();
    int point = text.indexOf('.');
    int whole = point < 0 ? length : point;
    int decimals = point < 0 ? 0 : length - point - 1;
    if (whole == 0 || whole > MAX_WHOLE_DIGITS || decimals > MAX_DECIMALS) {
      return -1;
    }
    if (point >= 0 && decimals == 0) {
      return -1;
    }
    long value = 0;
    boolean more = false;
    for (int i = 0; i < length; i++) {
      if (i == point) {
        continue;
      }
      int digit = text.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      if (point >= 0 && i > point + COUNTED_DECIMALS) {
        more |= digit > 0;
      } else {
        value = value * 10 + digit;
      }
    }
    for (int i = Math.min(decimals, COUNTED_DECIMALS); i < COUNTED_DECIMALS; i++) {
      value *= 10;
    }
    return more ? value + 1 : value;
  }
}
