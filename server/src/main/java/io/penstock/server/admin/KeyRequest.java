package io.penstock.server.admin;

import io.penstock.policy.Attribute;
import io.penstock.policy.ExplicitRequest;
import io.penstock.policy.Request;
import io.penstock.policy.load.Fields;
import io.penstock.policy.load.Located;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.Problems;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * A request to inspect or change the buckets of a key. Immutable.
 *
 * @param request a request with only the attributes of the key
 * @param thousandths the amount to grant, in thousandths of a token
 */
record KeyRequest(String rule, Request request, long thousandths) {
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
      Request request = KeyRequest.request(fields);
      Long tokens = 0L;
      if (this == WITH_TOKENS && fields.require("tokens")) {
        tokens = fields.number("tokens", KeyRequest::thousandths);
      }
      fields.done();
      return rule == null || tokens == null ? null : new KeyRequest(rule, request, tokens);
    }
  }

  private static Request request(Fields fields) {
    ExplicitRequest.Builder request = ExplicitRequest.builder();
    Fields key = fields.given("key") ? fields.mapping("key") : null;
    if (key != null) {
      for (String name : key.names()) {
        String value = key.text(name);
        if (value != null) {
          try {
            request.state(Attribute.parse(name), value);
          } catch (IllegalArgumentException e) {
            key.invalid(name, e);
          }
        }
      }
    }
    return request.build();
  }

  private static long thousandths(BigDecimal tokens) {
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
