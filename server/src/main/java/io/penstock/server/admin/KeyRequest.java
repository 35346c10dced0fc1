package io.penstock.server.admin;

import io.penstock.TokenBucket;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.Rule;
import io.penstock.policy.RuleBuckets;
import io.penstock.policy.RuleKey;
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
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A request to inspect or change the buckets of a key. Immutable.
 *
 * @param key the values of the key; none if {@code recorded} is given
 * @param recorded a key with hashed values, as in responses and records; null for other keys
 * @param thousandths the amount to grant, in thousandths of a token
 * @param limit the limit that overrides those of the rule; null if the request doesn't state one
 * @param duration how long the limits are overridden
 */
record KeyRequest(
    String rule,
    BucketKey key,
    @Nullable String recorded,
    long thousandths,
    @Nullable TokenBucket limit,
    Duration duration) {
  private static final int DECIMALS = 3;
  private static final Duration DEFAULT_DURATION = Duration.ofHours(1);
  private static final Duration MAX_DURATION = Duration.ofDays(7);
  private static final int MAX_KEY_LENGTH = 512;

  /** A key as a whole, or a value of one, that was replaced by its hash. */
  private static final Pattern HASHED = Pattern.compile("(?:^|[^=&]+=)#[A-Za-z0-9_-]{22}(?=&|$)");

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
      String recorded = recorded(fields);
      BucketKey key = recorded == null ? KeyRequest.key(fields) : BucketKey.of(Map.of());
      Long tokens = 0L;
      if (this == WITH_TOKENS && fields.require("tokens")) {
        tokens = fields.number("tokens", KeyRequest::thousandths);
      }
      TokenBucket limit = this == WITH_LIMIT ? BucketFields.read(fields) : null;
      Duration duration = this == WITH_LIMIT ? duration(fields) : Duration.ZERO;
      fields.done();
      return rule == null || tokens == null
          ? null
          : new KeyRequest(rule, key, recorded, tokens, limit, duration);
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

  /** Returns the text form of a key with hashed values; null if the key is another one. */
  private static @Nullable String recorded(Fields fields) {
    return fields.given("key")
            && fields.node("key") instanceof Node.Scalar text
            && text.kind() == Node.NodeKind.TEXT
            && text.text().length() <= MAX_KEY_LENGTH
            && HASHED.matcher(text.text()).find()
        ? text.text()
        : null;
  }

  /**
   * Returns the buckets of the key. Empty if there is no such rule, or if it is off or unlimited.
   *
   * @throws IllegalArgumentException if the key is not one of the rule
   */
  Optional<RuleBuckets> buckets(PolicyEngine engine) {
    if (recorded == null) {
      return key.bucketsOf(rule, engine);
    }
    Optional<RuleBuckets> buckets = engine.buckets(new RuleKey(rule, recorded));
    buckets.ifPresent(found -> requireKeyOf(found.rule(), recorded));
    return buckets;
  }

  private static void requireKeyOf(Rule rule, String recorded) {
    if (recorded.startsWith("#")) {
      return;
    }
    String[] parts = recorded.split("&", -1);
    boolean matches = parts.length == rule.limitKeys().size();
    for (int i = 0; matches && i < parts.length; i++) {
      String name = parts[i].split("=", 2)[0];
      matches =
          rule.limitKeys().get(i).alternatives().stream()
              .anyMatch(attribute -> attribute.toString().equals(name));
    }
    if (!matches) {
      throw new IllegalArgumentException(
          "key must consist of the limit_keys of rule " + rule.name() + ": " + recorded);
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
