package io.penstock.policy.http;

import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.TokenBucket;
import org.jspecify.annotations.Nullable;

/** What headers say of a limit of a rule, as far as it is the same for all requests. Immutable. */
final class Quota {
  private static final char REPLACEMENT = '?';
  private static final String RESET = ";t=";
  private static final long NO_RESET = -1;

  private final String rule;
  private final int number;
  private final Limit limit;
  private final String burst;
  private final String current;
  private final String policy;
  private final @Nullable NextToken refill;

  Quota(String rule, int number, Limit limit) {
    String name = quoted(name(rule, number));
    this.rule = rule;
    this.number = number;
    this.limit = limit;
    this.burst = Long.toString(limit.burstThousandths() / Rounding.TOKEN);
    this.current = name + ";r=";
    this.policy = name + ";q=" + burst + ";w=" + Rounding.seconds(limit.window());
    this.refill = limit instanceof TokenBucket bucket ? new NextToken(bucket) : null;
  }

  /** What a limit of a rule is called: the rule, with a number if it has several limits. */
  static String name(String rule, int number) {
    return number == 0 ? rule : rule + "#" + number;
  }

  /** Whether this is about that limit of that rule. */
  boolean isOf(String someRule, int someNumber, Limit someLimit) {
    return number == someNumber
        && rule.equals(someRule)
        && (limit == someLimit || limit.equals(someLimit));
  }

  /** The limit in whole tokens. */
  String burst() {
    return burst;
  }

  /** The item of {@code RateLimit-Policy}. */
  String policy() {
    return policy;
  }

  /** The item of {@code RateLimit}. */
  String current(String remaining, @Nullable String reset) {
    return reset == null ? current + remaining : current + remaining + RESET + reset;
  }

  /** Adds the item of {@code RateLimit} to others. */
  void current(StringBuilder items, long remaining, long reset) {
    items.append(current).append(remaining);
    if (reset >= 0) {
      items.append(RESET).append(reset);
    }
  }

  /**
   * Whole seconds, rounded up, until a decision under this limit would find more of it; negative if
   * there is no such time. Zero would tell a client whose request never passes to try it now.
   */
  long resetSeconds(Decision decision) {
    if (decision.never()) {
      return decision.resetAfter().isZero() ? NO_RESET : Rounding.seconds(decision.resetAfter());
    }
    if (!decision.allowed()) {
      return Rounding.seconds(decision.retryAfter());
    }
    return refill == null ? Rounding.seconds(decision.resetAfter()) : refill.seconds(decision);
  }

  /** A string of a structured field (RFC 9651), which has room for printable ASCII only. */
  private static String quoted(String text) {
    StringBuilder quoted = new StringBuilder(text.length() + 2).append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        quoted.append('\\');
      }
      quoted.append(c < ' ' || c > '~' ? REPLACEMENT : c);
    }
    return quoted.append('"').toString();
  }
}
