package io.penstock.server.admin;

import io.penstock.policy.Attribute;
import io.penstock.policy.Request;
import io.penstock.policy.StatedRequest;
import io.penstock.policy.load.Fields;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.Placed;
import io.penstock.policy.load.Problems;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * A key that somebody wants to know of, or to change. Immutable.
 *
 * @param request one that has nothing but the values of the key
 * @param thousandths how much to grant
 */
record KeyQuestion(String rule, Request request, long thousandths) {
  private static final int DECIMALS = 3;
  private static final BigDecimal MOST_TOKENS = new BigDecimal("1000000000000");

  /** What a question consists of. */
  enum Kind {
    PLAIN,
    WITH_TOKENS;

    /** The question in a document; null, and errors, if it is none. */
    @Nullable KeyQuestion read(Node document, Problems problems) {
      Fields fields = Fields.of(new Placed<>(document, document.at(), ""), problems);
      if (fields == null) {
        return null;
      }
      fields.require("rule");
      String rule = fields.text("rule");
      Request request = KeyQuestion.request(fields);
      Long tokens = 0L;
      if (this == WITH_TOKENS && fields.require("tokens")) {
        tokens = fields.number("tokens", KeyQuestion::thousandths);
      }
      fields.done();
      return rule == null || tokens == null ? null : new KeyQuestion(rule, request, tokens);
    }
  }

  private static Request request(Fields fields) {
    StatedRequest.Builder request = StatedRequest.builder();
    Fields key = fields.given("key") ? fields.mapping("key") : null;
    if (key != null) {
      for (String name : key.names()) {
        String value = key.text(name);
        if (value != null) {
          try {
            request.state(Attribute.parse(name), value);
          } catch (IllegalArgumentException e) {
            key.refused(name, e);
          }
        }
      }
    }
    return request.build();
  }

  private static long thousandths(BigDecimal tokens) {
    if (tokens.signum() <= 0
        || tokens.compareTo(MOST_TOKENS) > 0
        || tokens.stripTrailingZeros().scale() > DECIMALS) {
      throw new IllegalArgumentException(
          "must be positive, at most "
              + MOST_TOKENS
              + ", with up to three decimal places: "
              + tokens.toPlainString());
    }
    return tokens.movePointRight(DECIMALS).longValueExact();
  }
}
