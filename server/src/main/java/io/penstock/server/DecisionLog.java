package io.penstock.server;

import io.penstock.policy.Verdict;
import io.penstock.policy.http.GateObserver;
import io.penstock.server.http.FailedRequests;
import io.penstock.server.log.RepeatedWarning;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs failed decisions and refunds, and each decision if this is enabled. Thread-safe. */
final class DecisionLog implements GateObserver {
  private static final Logger DECISIONS = LoggerFactory.getLogger("penstock.decisions");
  private static final RepeatedWarning REFUND_FAILED =
      new RepeatedWarning(LoggerFactory.getLogger(DecisionLog.class));

  private final boolean logsDecisions;

  DecisionLog(boolean logsDecisions) {
    this.logsDecisions = logsDecisions;
  }

  @Override
  public void decided(Verdict verdict, long nanos) {
    if (logsDecisions) {
      DECISIONS.info("{}{}", verdict, key(verdict));
    }
  }

  /** Returns the key of the rule that decided, with private values hashed. */
  private static String key(Verdict verdict) {
    return verdict
        .decisive()
        .filter(outcome -> !outcome.key().isEmpty())
        .map(outcome -> ", key " + outcome.key())
        .orElse("");
  }

  @Override
  public void undecided(Throwable failure) {
    FailedRequests.recordUnanswered(failure);
  }

  @Override
  public void refundFailed(Throwable failure) {
    REFUND_FAILED.warn("Cannot refund tokens; they stay charged", failure);
  }
}
