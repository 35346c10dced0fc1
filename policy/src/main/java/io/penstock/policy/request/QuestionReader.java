package io.penstock.policy.request;

import io.penstock.policy.StatedRequest;
import io.penstock.policy.load.Fields;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.Placed;
import io.penstock.policy.load.Problems;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads questions as {@code POST /v1/check} takes them. Every field may be missing or null. All
 * that is wrong is said at once, and values that may be secrets are not repeated.
 */
public final class QuestionReader {
  private static final int LONGEST_METHOD = 64;
  private static final int LONGEST_HOST = 512;
  private static final BigDecimal LARGEST_COST = new BigDecimal("1000000000000");
  private static final int COUNTED_DECIMALS = 3;

  private final Fields fields;
  private final StatedRequest.Builder request = StatedRequest.builder();

  private QuestionReader(Fields fields) {
    this.fields = fields;
  }

  /** The question that is a whole document; null, and errors, if it can't be asked. */
  public static @Nullable Question read(Node document, Problems problems) {
    return read(new Placed<>(document, document.at(), ""), problems);
  }

  /** The question in a part of a document; null, and errors, if it can't be asked. */
  public static @Nullable Question read(Placed<Node> node, Problems problems) {
    Fields fields = Fields.of(node, problems);
    if (fields == null) {
      return null;
    }
    int before = problems.errorCount();
    Question question = new QuestionReader(fields).read(problems);
    fields.done();
    return problems.errorCount() > before ? null : question;
  }

  private Question read(Problems problems) {
    text("ip", NamedValues.LONGEST_NAME, request::ip);
    text("method", LONGEST_METHOD, request::method);
    text("path", NamedValues.LONGEST_VALUE, request::path);
    text("host", LONGEST_HOST, request::host);
    NamedValues values = new NamedValues(fields, problems);
    boolean statesCookies = fields.given("cookies");
    values.readLists("headers", new StatedHeaders(request, !statesCookies)::add);
    values.readLists("query", request::query);
    values.readLists("cookies", request::cookie);
    values.readClaims("jwt", request::claim);
    values.readSingles("attributes", request::attribute);
    Long cost = fields.given("cost") ? fields.number("cost", QuestionReader::cost) : null;
    if (cost != null) {
      request.cost(cost);
    }
    return new Question(request.build(), fields.given("dry_run") && fields.flag("dry_run"));
  }

  private void text(String name, int longest, Consumer<String> taker) {
    if (!fields.given(name)) {
      return;
    }
    Node node = fields.node(name);
    if (!(node instanceof Node.Scalar scalar) || scalar.kind() != Node.Kind.TEXT) {
      fields.error(name, "must be text, not " + (node == null ? "nothing" : node.what()));
    } else if (scalar.text().length() > longest) {
      fields.error(name, "must have at most " + longest + " characters");
    } else {
      try {
        taker.accept(scalar.text());
      } catch (IllegalArgumentException e) {
        fields.refused(name, e);
      }
    }
  }

  /** In thousandths, rounded up. */
  private static long cost(BigDecimal tokens) {
    if (tokens.signum() < 0 || tokens.compareTo(LARGEST_COST) > 0) {
      throw new IllegalArgumentException(
          "must be from 0 to " + LARGEST_COST + ": " + tokens.toPlainString());
    }
    return tokens
        .movePointRight(COUNTED_DECIMALS)
        .setScale(0, RoundingMode.CEILING)
        .longValueExact();
  }
}
