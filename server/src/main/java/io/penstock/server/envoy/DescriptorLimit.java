package io.penstock.server.envoy;

import io.penstock.Limit;
import io.penstock.Rate;
import io.penstock.TokenBucket;
import io.penstock.WindowLimit;
import io.penstock.policy.Attribute;
import io.penstock.policy.KeyPart;
import io.penstock.policy.MissingKey;
import io.penstock.policy.Mode;
import io.penstock.policy.Rule;
import io.penstock.policy.load.Node;
import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A configured limit. Immutable.
 *
 * @param name the name of its rule, such as {@code domain.key_value.key}; unique
 * @param label the name that other limits replace it by, and that responses contain; empty for none
 * @param unit null if unlimited
 * @param replaces the labels of the limits that don't apply if this one does
 * @param keys the attributes that select a bucket, one for each entry with a variable value
 * @param naming how statistics name the limit
 * @param metadata what responses contain as dynamic metadata if the limit allows the request
 */
record DescriptorLimit(
    String name,
    String label,
    @Nullable LimitUnit unit,
    long requestsPerUnit,
    Set<String> replaces,
    LimitMode mode,
    List<String> keys,
    MetricNaming naming,
    Node.@Nullable Mapping metadata) {
  /** The largest limit that a bucket can have; larger ones have the same effect in practice. */
  static final long MAX_REQUESTS = 1_000_000_000;

  private static final long TOKEN = 1_000;

  /**
   * How a request over the limit is treated.
   *
   * @param shadow whether it is allowed, but counted
   * @param quota whether it is allowed unless all limits with a quota deny it
   */
  record LimitMode(boolean shadow, boolean quota) {
    static final LimitMode ENFORCE = new LimitMode(false, false);
  }

  /** How statistics name a limit. */
  enum MetricNaming {
    /** By its path in the configuration. */
    PATH,
    /** By its path, with the values of those descriptors that have {@code value_to_metric}. */
    SOME_VALUES,
    /** By the keys and values of the request ({@code detailed_metric}). */
    ALL_VALUES
  }

  /** How the requests in a unit of time are counted. */
  enum LimitAlgorithm {
    TOKEN_BUCKET,
    FIXED_WINDOW
  }

  DescriptorLimit {
    replaces = Set.copyOf(replaces);
    keys = List.copyOf(keys);
  }

  boolean isUnlimited() {
    return unit == null;
  }

  /** Returns a line that describes the limit, as the debug port of the reference does. */
  String text() {
    return String.format(
        Locale.ROOT,
        "%s: unit=%s requests_per_unit=%d, shadow_mode: %b, quota_mode: %b%n",
        name.replaceAll("\\p{Cntrl}", " "),
        unit == null ? "UNKNOWN" : unit.name(),
        requestsPerUnit,
        mode.shadow,
        mode.quota);
  }

  /**
   * Returns the rule that decides about this limit; only for limits that are not unlimited.
   *
   * @param quota whether the limit is one with a quota, whatever its mode
   */
  Rule rule(LimitAlgorithm algorithm, boolean quota) {
    return Rule.builder(name)
        .limitKeys(keys.stream().map(DescriptorLimit::keyPart).toList())
        .onMissingKey(MissingKey.SHARE)
        .limits(List.of(limit(algorithm)))
        .mode(mode.shadow || mode.quota || quota ? Mode.SHADOW : Mode.ENFORCE)
        .manual(true)
        .build();
  }

  private static KeyPart keyPart(String name) {
    return new KeyPart(List.of(new Attribute(Attribute.AttributeSource.STATED, name)));
  }

  /**
   * Returns the limit of each bucket. A limit of 0 requests is a bucket that holds a thousandth of
   * a request, so that no request can ever pass.
   */
  private Limit limit(LimitAlgorithm algorithm) {
    if (unit == null) {
      throw new IllegalStateException("unlimited: " + name);
    }
    long thousandths = Math.max(1, Math.min(requestsPerUnit, MAX_REQUESTS) * TOKEN);
    return algorithm == LimitAlgorithm.FIXED_WINDOW
        ? new WindowLimit(WindowLimit.Counting.FIXED_WINDOW, thousandths, unit.duration())
        : new TokenBucket(
            Rate.of(BigDecimal.valueOf(thousandths, 3), unit.duration()), thousandths);
  }
}
