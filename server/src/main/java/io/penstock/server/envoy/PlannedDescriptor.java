package io.penstock.server.envoy;

import io.penstock.server.envoy.LimitAnswer.CurrentLimit;
import org.jspecify.annotations.Nullable;

/**
 * A descriptor of a request with the limit that applies to it.
 *
 * @param match null if no limit applies, or if it is replaced
 */
record PlannedDescriptor(DescriptorQuery query, @Nullable DescriptorMatch match) {
  /** Returns whether a bucket has to be asked. */
  boolean isLimited() {
    return match != null && !match.limit().isUnlimited();
  }

  DescriptorMatch matched() {
    if (match == null) {
      throw new IllegalStateException("no limit applies to " + query);
    }
    return match;
  }

  DescriptorLimit limit() {
    return matched().limit();
  }

  BucketRequest bucket(long hits) {
    return new BucketRequest(limit().keys(), matched().variables(), hits * BucketClaim.TOKEN);
  }

  CurrentLimit currentLimit() {
    DescriptorLimit limit = limit();
    LimitUnit unit = limit.unit();
    if (unit == null) {
      throw new IllegalStateException("unlimited: " + limit.name());
    }
    return new CurrentLimit(limit.label(), unit, limit.requestsPerUnit());
  }
}
