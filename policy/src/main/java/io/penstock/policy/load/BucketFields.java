package io.penstock.policy.load;

import io.penstock.TokenBucket;
import org.jspecify.annotations.Nullable;

/** Reads the token bucket of a document that is not a rule. */
public final class BucketFields {
  private BucketFields() {}

  /**
   * Reads {@code rate} and {@code burst}, with the checks and defaults of a rule; null if they have
   * errors.
   */
  public static @Nullable TokenBucket read(Fields fields) {
    return LimitReader.shortForm(fields).read(Algorithm.TOKEN_BUCKET, 0) instanceof TokenBucket read
        ? read
        : null;
  }
}
