package io.penstock.policy.load;

import io.penstock.InvalidValueException;
import io.penstock.Limit;
import io.penstock.Rate;
import io.penstock.TokenBucket;
import io.penstock.WindowLimit;
import io.penstock.algorithm.FixedPointRate;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads one limit, in the short form or from {@code algorithm_config}. */
final class LimitReader {
  static final List<String> SHORT_FIELDS = List.of("rate", "burst", "limit", "window");

  private static final Duration LONG_REFILL = Duration.ofDays(1);
  private static final long MICROSECOND = 1_000;

  private final Fields fields;
  private final boolean isLongForm;
  private final String rateField;

  private LimitReader(Fields fields, boolean isLongForm) {
    this.fields = fields;
    this.isLongForm = isLongForm;
    this.rateField = !isLongForm ? "rate" : fields.has("rps") ? "rps" : "tokens_per_second";
  }

  static LimitReader shortForm(Fields fields) {
    return new LimitReader(fields, false);
  }

  static LimitReader longForm(Fields config) {
    return new LimitReader(config, true);
  }

  /**
   * Returns the limit; null if it has errors.
   *
   * @param minBurstThousandths the capacity of a leaky bucket
   */
  @Nullable Limit read(Algorithm algorithm, long minBurstThousandths) {
    WindowLimit.Counting kind = algorithm.window();
    if (kind != null) {
      String reason = "is only for token buckets; a window has limit and window";
      for (String name : bucketFields()) {
        fields.reject(name, reason);
      }
      return window(kind);
    }
    String reason = "is only for windows; set algorithm: fixed_window or sliding_window";
    if (fields.has("limit") || fields.has("window")) {
      fields.reject(fields.has("limit") ? "limit" : "window", reason);
      return null;
    }
    StatedRate stated = rate();
    if (algorithm == Algorithm.LEAKY_BUCKET) {
      fields.reject("burst", "is not allowed for a leaky_bucket, which holds one request");
      return stated == null ? null : bucket(stated, minBurstThousandths);
    }
    Long burst = isLongForm && !fields.require("burst") ? null : burst(stated);
    return stated == null || burst == null ? null : bucket(stated, burst);
  }

  private List<String> bucketFields() {
    return isLongForm ? List.of("tokens_per_second", "rps", "burst") : List.of("rate", "burst");
  }

  private @Nullable Limit window(WindowLimit.Counting kind) {
    if (bucketFields().stream().noneMatch(fields::has)) {
      fields.require("limit");
      fields.require("window");
    }
    Long limit = fields.number("limit", Decimals::amount);
    Duration window = fields.text("window", Periods::parse);
    if (limit == null || window == null) {
      return null;
    }
    try {
      return new WindowLimit(kind, limit, window);
    } catch (IllegalArgumentException e) {
      boolean isWindow =
          e instanceof InvalidValueException invalid && invalid.name().equals("window");
      fields.invalid(isWindow ? "window" : "limit", e);
      return null;
    }
  }

  private @Nullable StatedRate rate() {
    if (!isLongForm) {
      return fields.require("rate") ? fields.text("rate", StatedRate::parse) : null;
    }
    if (fields.has("tokens_per_second") && fields.has("rps")) {
      fields.error("rps", "is the same as tokens_per_second; set only one of them");
    } else if (!fields.has("tokens_per_second") && !fields.has("rps")) {
      fields.error("tokens_per_second", "is required, or rps");
    }
    return fields.number(rateField, StatedRate::perSecond);
  }

  private @Nullable Long burst(@Nullable StatedRate stated) {
    if (fields.has("burst")) {
      return fields.number("burst", Decimals::amount);
    }
    return stated == null ? null : Decimals.burstOf(stated.tokens());
  }

  private @Nullable Limit bucket(StatedRate stated, long burst) {
    Rate rate;
    try {
      rate = stated.rate();
    } catch (IllegalArgumentException e) {
      fields.invalid(rateField, e);
      return null;
    }
    String burstField = fields.has("burst") ? "burst" : rateField;
    TokenBucket bucket;
    try {
      bucket = new TokenBucket(rate, burst);
    } catch (IllegalArgumentException e) {
      fields.invalid(burstField, e);
      return null;
    }
    try {
      // Check for both the in-process store and Redis, so that either supports every policy that
      // loads.
      FixedPointRate.of(bucket, 1);
      FixedPointRate.of(bucket, MICROSECOND, FixedPointRate.MAX_UNITS_IN_DOUBLES);
    } catch (IllegalArgumentException e) {
      fields.invalid(rateField, e);
      return null;
    }
    checkBurst(bucket, burstField);
    return bucket;
  }

  private void checkBurst(TokenBucket bucket, String burstField) {
    if (fields.has("burst") && StatedRate.exceedsBurst(bucket.rate(), bucket.burstThousandths())) {
      String message = "must be at least the tokens of one second: " + bucket.burst();
      if (isLongForm) {
        fields.error("burst", message);
      } else {
        fields.warning(
            "burst", "is less than the tokens of one second, so bursts are cut: " + bucket.burst());
      }
    }
    if (bucket.window().compareTo(LONG_REFILL) > 0) {
      fields.warning(burstField, "the burst takes more than a day to refill: " + bucket.window());
    }
  }
}
