package io.penstock.server.admin;

import io.penstock.policy.load.Fields;
import io.penstock.policy.load.Located;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.Problems;
import io.penstock.policy.request.BucketKey;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A request to inspect or change the buckets of a key. Immutable.
 *
 * @param thousandths the amount to grant, in thousandths of a token
 */
record KeyRequest(String rule, BucketKey key, long thousandths) {
  private static final int DECIMALS = 3;
  private static final BigDecimal MAX_TOKENS = new BigDecimal("1000000000000");

  /** The forms of the request body. */
  enum KeyOperation {
    WITHOUT_TOKENS,
    WITH_TOKENS;

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
      fields.done();
      return rule == null || tokens == null ? null : new KeyRequest(rule, key, tokens);
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
