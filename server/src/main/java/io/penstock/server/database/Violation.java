package io.penstock.server.database;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Requests of one rule and key that were denied within one second. Immutable.
 *
 * @param bucketKey the bucket within its rule, private values hashed
 * @param userId of the first of them, as the following
 * @param tokensAtTime what was left in the bucket
 * @param ruleId the row of the rule; null for rules of files
 * @param denied how many they are
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

  Violation and(long more) {
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
