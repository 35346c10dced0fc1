package io.penstock.policy.http;

import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.TokenBucket;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The parts of responses about a limit that are the same for all requests. Thread-safe. */
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

  // Benign races: each value is the same.
  private volatile byte @Nullable [] problem;

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

  /** Returns the name of a limit: the name of the rule, with a number if it has several limits. */
  static String name(String rule, int number) {
    return number == 0 ? rule : rule + "#" + number;
  }

  /** Returns whether this is the quota of the given limit of a rule. */
  boolean matches(String someRule, int someNumber, Limit someLimit) {
    return number == someNumber
        && rule.equals(someRule)
        && (limit == someLimit || limit.equals(someLimit));
  }

  /** Returns the limit in whole tokens. */
  String burst() {
    return burst;
  }

  /** Returns the item of {@code RateLimit-Policy}. */
  String policy() {
    return policy;
  }

  /** Returns the item of {@code RateLimit}. */
  String current(String remaining, @Nullable String reset) {
    return reset == null ? current + remaining : current + remaining + RESET + reset;
  }

  /** Appends the item of {@code RateLimit}. */
  void current(StringBuilder items, long remaining, long reset) {
    items.append(current).append(remaining);
    if (reset >= 0) {
      items.append(RESET).append(reset);
    }
  }

  /**
   * Returns the problem of a request that exceeds this limit only.
   *
   * @param beforeWait creates the constant part of the problem
   */
  byte[] problem(Decision decision, Supplier<byte[]> beforeWait) {
    byte[] constant = problem;
    if (constant == null) {
      constant = beforeWait.get();
      problem = constant;
    }
    return ProblemDetails.bytes(constant, decision);
  }

  /**
   * Returns the seconds, rounded up, until more of the limit is available; negative if there is no
   * such time. Zero would suggest an immediate retry to a client whose request can never pass.
   */
  long resetSeconds(Decision decision) {
    if (decision.neverAllowed()) {
      return decision.resetAfter().isZero() ? NO_RESET : Rounding.seconds(decision.resetAfter());
    }
    if (!decision.allowed()) {
      return Rounding.seconds(decision.retryAfter());
    }
    return refill == null ? Rounding.seconds(decision.resetAfter()) : refill.seconds(decision);
  }

  /** Returns a string of a structured field (RFC 9651), which may contain only printable ASCII. */
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
