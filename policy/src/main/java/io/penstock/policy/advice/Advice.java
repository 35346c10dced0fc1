package io.penstock.policy.advice;

import io.penstock.policy.accesslog.ReadSummary;
import io.penstock.policy.replay.LogSpan;
import java.util.List;

/**
 * Suggested limits. Immutable.
 *
 * @param keyless requests that a rule would not apply to, because the log lacks their key
 * @param partial requests that share a bucket, because the log lacks a part of their key
 * @param valueless requests without a value of an attribute of {@code --per}
 * @param rejected requests that are denied because of their path, whatever the rules
 * @param otherRequests requests of groups that are not reported
 * @param unclassified those of them that were left out because there are too many groups
 * @param groups the groups with the most requests, in descending order
 */
public record Advice(
    AdviceOptions options,
    LogSpan span,
    ReadSummary read,
    long keyless,
    long partial,
    long valueless,
    long rejected,
    long otherRequests,
    long unclassified,
    List<GroupAdvice> groups) {
  /** Returns whether any request has a key. */
  public boolean hasKeys() {
    return !groups.isEmpty() && partial < span.requests();
  }

  /** The names of the suggestions. */
  public static final List<String> LEVELS = List.of("tight", "balanced", "generous");

  /** The time over which suggestions allow a caller as little as possible, in seconds. */
  public static final int HORIZON_SECONDS = 60;

  /** How long an empty bucket of a suggestion takes to be full again, at most. */
  public static final int MAX_REFILL_SECONDS = 300;
}
