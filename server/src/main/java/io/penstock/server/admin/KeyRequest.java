package io.penstock.server.admin;

import io.penstock.TokenBucket;
import io.penstock.policy.load.BucketFields;
import io.penstock.policy.load.Fields;
import io.penstock.policy.load.Located;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.Problems;
import io.penstock.policy.request.BucketKey;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A request to inspect or change the buckets of a key. Immutable.
 *
 * @param thousandths the amount to grant, in thousandths of a token
 * @param limit the limit that overrides those of the rule; null if the request doesn't state one
 * @param duration how long the limits are overridden
 */
record KeyRequest(
    String rule, BucketKey key, long thousandths, @Nullable TokenBucket limit, Duration duration) {
  private static final int DECIMALS = 3;
  private static final Duration DEFAULT_DURATION = Duration.ofHours(1);
  private static final Duration MAX_DURATION = Duration.ofDays(7);
  private static final BigDecimal MAX_TOKENS = new BigDecimal("1000000000000");

  /** The forms of the request body. */
  enum KeyOperation {
    /** Only rule and key. */
    PLAIN,
    WITH_TOKENS,
    /** With a limit and its duration. */
    WITH_LIMIT;

    /** Reads a request body; returns null and adds errors if it is invalid. */
    @Nullable KeyRequest read(Node document, Problems problems) {
      Fields fields = Fields.of(new Located<>(document, document.at(), ""), problems);
      if (fields == null) {
        return null;
      }
      fields.require("rule");
      String rule = fields.text("rule");
      BucketKey key = KeyRequest.key(fields);
      Long tokens = 0L;
      if (this == WITH_TOKENS && fields.require("tokens")) {
        tokens = fields.number("tokens", KeyRequest::thousandths);
      }
      TokenBucket limit = this == WITH_LIMIT ? BucketFields.read(fields) : null;
      Duration duration = this == WITH_LIMIT ? duration(fields) : Duration.ZERO;
      fields.done();
      return rule == null || tokens == null
          ? null
          : new KeyRequest(rule, key, tokens, limit, duration);
    }

    private static Duration duration(Fields fields) {
      Duration duration = fields.given("for") ? fields.time("for") : DEFAULT_DURATION;
      if (duration == null) {
        return Duration.ZERO;
      }
      if (duration.isZero() || duration.compareTo(MAX_DURATION) > 0) {
        fields.error("for", "must be from 1ms to " + MAX_DURATION.toHours() + "h");
      }
      return duration;
    }
  }

  /** Reads the key: an object with a value for each name, or text as in responses. */
  private static BucketKey key(Fields fields) {
    Map<String, String> values = new LinkedHashMap<>();
    if (!fields.given("key")) {
      return BucketKey.of(values);
    }
    if (fields.node("key") instanceof Node.Scalar text && text.kind() == Node.NodeKind.TEXT) {
      return parsed(fields, text.text());
    }
    Fields key = fields.mapping("key");
    if (key == null) {
      return BucketKey.of(values);
    }
    for (String name : key.names()) {
      String value = key.text(name);
      if (value != null) {
        try {
          BucketKey.of(Map.of(name, value));
          values.put(name, value);
        } catch (IllegalArgumentException e) {
          key.invalid(name, e);
        }
      }
    }
    return checked(fields, () -> BucketKey.of(values));
  }

  private static BucketKey parsed(Fields fields, String text) {
    return checked(fields, () -> BucketKey.parse(text));
  }

  private static BucketKey checked(Fields fields, Supplier<BucketKey> key) {
    try {
      return key.get();
    } catch (IllegalArgumentException e) {
      fields.invalid("key", e);
      return BucketKey.of(Map.of());
    }
  }

  static long thousandths(BigDecimal tokens) {
    if (tokens.signum() <= 0
        || tokens.compareTo(MAX_TOKENS) > 0
        || tokens.stripTrailingZeros().scale() > DECIMALS) {
      throw new IllegalArgumentException(
          "must be positive, at most "
              + MAX_TOKENS
              + ", with up to three decimal places: "
              + tokens.toPlainString());
    }
    return tokens.movePointRight(DECIMALS).longValueExact();
  }
}
