package io.penstock.policy.cases;

import io.penstock.Decision;
import io.penstock.Reason;
import io.penstock.policy.Outcome;
import io.penstock.policy.Verdict;
import io.penstock.policy.http.Rounding;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/** A field of the response to {@code POST /v1/check}, as text. */
enum ResponseField {
  ALLOWED,
  RULE,
  REASON,
  LIMIT,
  REMAINING,
  RETRY_AFTER_MS,
  RESET_AFTER_MS,
  DELAY_MS,
  MODE,
  COST;

  /** The text of a missing value. */
  static final String NONE = "null";

  private final String code = name().toLowerCase(Locale.ROOT);

  /** Returns the name in files and responses. */
  String code() {
    return code;
  }

  /** Returns whether only the results of single rules have the field. */
  boolean isRuleOnly() {
    return this == MODE || this == COST;
  }

  /** Returns whether the field changes from one of several equal requests to the next. */
  boolean changesPerRequest() {
    return this == REMAINING || this == RESET_AFTER_MS || this == DELAY_MS;
  }

  /** Returns the value in the whole response. */
  String of(Verdict verdict) {
    Optional<Outcome> decisive = verdict.decisive();
    return switch (this) {
      case ALLOWED -> Boolean.toString(verdict.allowed());
      case DELAY_MS -> millis(verdict.delay());
      case REASON -> verdict.reason().map(Reason::code).orElse(NONE);
      case RETRY_AFTER_MS -> decisive.map(this::of).orElse(verdict.allowed() ? "0" : NONE);
      case RESET_AFTER_MS -> decisive.map(this::of).orElse("0");
      default -> decisive.map(this::of).orElse(NONE);
    };
  }

  /** Returns the value in the result of one rule. */
  String of(Outcome outcome) {
    Decision decision = outcome.decision();
    return switch (this) {
      case ALLOWED -> Boolean.toString(decision.allowed());
      case RULE -> outcome.rule().name();
      case REASON -> decision.reason().map(Reason::code).orElse(NONE);
      case LIMIT -> tokens(decision.limit().burstThousandths());
      case REMAINING -> tokens(decision.remainingThousandths());
      case RETRY_AFTER_MS -> decision.neverAllowed() ? NONE : millis(decision.retryAfter());
      case RESET_AFTER_MS -> millis(decision.resetAfter());
      case DELAY_MS -> millis(decision.delay());
      case MODE -> outcome.mode().code();
      case COST -> tokens(outcome.costThousandths());
    };
  }

  /** Formats a number as in responses. */
  static String number(BigDecimal number) {
    return number.stripTrailingZeros().toPlainString();
  }

  private static String tokens(long thousandths) {
    return number(Rounding.tokens(thousandths));
  }

  private static String millis(Duration time) {
    return Long.toString(Rounding.millis(time));
  }
}
