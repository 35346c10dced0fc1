package io.penstock.server.envoy;

import io.penstock.Reason;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a {@link LimitQuery}. Immutable.
 *
 * @param statuses one for each descriptor, in the same order
 * @param degradation why a failure policy decided because the store could not; null if none did
 * @param dynamicMetadata see {@link DynamicMetadata}; empty if it is not wanted
 */
record LimitAnswer(
    boolean allowed,
    List<DescriptorStatus> statuses,
    @Nullable Reason degradation,
    Map<String, @Nullable Object> dynamicMetadata) {
  /** What {@code limit_remaining} is for a descriptor without a limit on purpose. */
  static final long UNLIMITED = 0xffff_ffffL;

  LimitAnswer {
    statuses = List.copyOf(statuses);
  }

  /**
   * The result for one descriptor.
   *
   * @param quota whether the limit denies the request only together with all others of its kind
   * @param limit the limit that applied; null for none
   * @param remaining in whole requests
   * @param resetSeconds the time until the limit is fully replenished, rounded up; negative if
   *     unknown
   */
  record DescriptorStatus(
      boolean allowed,
      boolean quota,
      @Nullable CurrentLimit limit,
      long remaining,
      long resetSeconds) {
    private static final long UNKNOWN = -1;

    /**
     * The status of a descriptor that no limit applies to, or whose limit was not evaluated,
     * because another one denied or its hits were given back. A limit without figures would be
     * taken for one of which nothing is left.
     */
    static final DescriptorStatus NO_LIMIT = new DescriptorStatus(true, false, null, 0, UNKNOWN);

    /** The status of a descriptor that is unlimited on purpose. */
    static final DescriptorStatus ON_PURPOSE =
        new DescriptorStatus(true, false, null, UNLIMITED, UNKNOWN);

    private boolean denies() {
      return !allowed && !quota;
    }
  }

  /** A limit as responses state it. */
  record CurrentLimit(String label, LimitUnit unit, long requestsPerUnit) {}

  /**
   * Returns the status whose figures response headers contain: the last one that denies by itself,
   * otherwise the one with the fewest remaining requests.
   */
  Optional<DescriptorStatus> decisive() {
    DescriptorStatus decisive = null;
    for (DescriptorStatus status : statuses) {
      boolean known = status.limit != null && status.resetSeconds >= 0;
      if (status.denies()
          || (known
              && (decisive == null
                  || (!decisive.denies() && status.remaining < decisive.remaining)))) {
        decisive = status;
      }
    }
    return Optional.ofNullable(decisive);
  }
}
