package io.penstock.server.database;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The denied requests of one rule and key within one second. Immutable.
 *
 * @param bucketKey the key of the bucket within its rule, with private values hashed
 * @param userId the user of the first request; the address, endpoint, time and tokens also belong
 *     to the first request
 * @param tokensAtTime the tokens that were left in the bucket
 * @param ruleId the row of the rule; null for rules of files
 * @param reason why the rule denied; {@link #SHADOW} if it was in shadow mode
 * @param denied the number of requests
 */
public record Violation(
    String bucketKey,
    @Nullable String userId,
    @Nullable String address,
    @Nullable String endpoint,
    Instant requestedAt,
    double tokensAtTime,
    @Nullable Long ruleId,
    String rule,
    String reason,
    long denied) {

  /** The reason of requests that a rule in shadow mode would have denied. */
  static final String SHADOW = "shadow";

  Violation plus(long more) {
    if (more == 0) {
      return this;
    }
    return new Violation(
        bucketKey,
        userId,
        address,
        endpoint,
        requestedAt,
        tokensAtTime,
        ruleId,
        rule,
        reason,
        denied + more);
  }
}
