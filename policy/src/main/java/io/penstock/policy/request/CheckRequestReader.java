package io.penstock.policy.request;

import io.penstock.policy.ExplicitRequest;
import io.penstock.policy.load.Fields;
import io.penstock.policy.load.Located;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.Problems;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads requests in the format of {@code POST /v1/check}. Every field may be missing or null. All
 * errors are reported at once, without quoting values that may be secrets.
 */
public final class CheckRequestReader {
  private static final int MAX_METHOD_LENGTH = 64;
  private static final int MAX_HOST_LENGTH = 512;
  private static final BigDecimal MAX_COST = new BigDecimal("1000000000000");
  private static final int COUNTED_DECIMALS = 3;

  /** The names of all fields, in the order of the documentation. */
  private static final Set<String> FIELDS =
      Collections.unmodifiableSet(
          new LinkedHashSet<>(
              List.of(
                  "ip",
                  "method",
                  "path",
                  "host",
                  "headers",
                  "query",
                  "cookies",
                  "jwt",
                  "attributes",
                  "cost",
                  "dry_run")));

  private final Fields fields;
  private final ExplicitRequest.Builder request = ExplicitRequest.builder();

  private CheckRequestReader(Fields fields) {
    this.fields = fields;
  }

  /** Reads a whole document. Reports errors and returns null if it is invalid. */
  public static @Nullable CheckRequest read(Node document, Problems problems) {
    return read(new Located<>(document, document.at(), ""), problems);
  }

  /** Reads a part of a document. Reports errors and returns null if it is invalid. */
  public static @Nullable CheckRequest read(Located<Node> node, Problems problems) {
    Fields fields = Fields.of(node, problems, FIELDS);
    if (fields == null) {
      return null;
    }
    int before = problems.errorCount();
    CheckRequest checkRequest = new CheckRequestReader(fields).read(problems);
    fields.done();
    return problems.errorCount() > before ? null : checkRequest;
  }

  private CheckRequest read(Problems problems) {
    text("ip", NamedValues.MAX_NAME_LENGTH, request::ip);
    text("method", MAX_METHOD_LENGTH, request::method);
    text("path", NamedValues.MAX_VALUE_LENGTH, request::path);
    text("host", MAX_HOST_LENGTH, request::host);
    NamedValues values = new NamedValues(fields, problems);
    values.readLists(
        "headers", fields.given("cookies") ? request::header : this::headerWithCookies);
    values.readLists("query", request::query);
    values.readLists("cookies", request::cookie);
    values.readClaims("jwt", request::claim);
    values.readSingles("attributes", request::attribute);
    Long cost = fields.given("cost") ? fields.number("cost", CheckRequestReader::cost) : null;
    if (cost != null) {
      request.costThousandths(cost);
    }
    return new CheckRequest(request.build(), fields.given("dry_run") && fields.flag("dry_run"));
  }

  /** Adds a header, and the cookies in it. */
  private void headerWithCookies(String name, String value) {
    request.header(name, value);
    if (name.toLowerCase(Locale.ROOT).equals("cookie")) {
      request.cookies(value);
    }
  }

  private void text(String name, int maxLength, Consumer<String> setter) {
    if (!fields.given(name)) {
      return;
    }
    Node node = fields.node(name);
    if (!(node instanceof Node.Scalar scalar) || scalar.kind() != Node.NodeKind.TEXT) {
      fields.error(name, "must be text, not " + (node == null ? "null" : node.describe()));
    } else if (scalar.text().length() > maxLength) {
      fields.error(name, "must have at most " + maxLength + " characters");
    } else {
      try {
        setter.accept(scalar.text());
      } catch (IllegalArgumentException e) {
        fields.invalid(name, e);
      }
    }
  }

  /** Returns the cost in thousandths of a token, rounded up. */
  private static long cost(BigDecimal tokens) {
    if (tokens.signum() < 0 || tokens.compareTo(MAX_COST) > 0) {
      throw new IllegalArgumentException(
          "must be from 0 to " + MAX_COST + ": " + tokens.toPlainString());
    }
    return tokens
        .movePointRight(COUNTED_DECIMALS)
        .setScale(0, RoundingMode.CEILING)
        .longValueExact();
  }
}
