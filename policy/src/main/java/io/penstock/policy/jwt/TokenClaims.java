package io.penstock.policy.jwt;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The claims of a token. Immutable.
 *
 * @param scalars strings as they are, numbers and booleans as text
 * @param expires in seconds since 1970; positive infinity if the token doesn't expire
 * @param notBefore in seconds since 1970; negative infinity if the token has no start
 * @param audience the audiences of the token
 */
record TokenClaims(
    Map<String, String> scalars, double expires, double notBefore, List<String> audience) {
  /**
   * Duplicate claims are errors because readers differ in which one they use. Names are not cached
   * between tokens because clients can invent them.
   */
  private static final JsonFactory JSON =
      JsonFactory.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
          .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
          .build();

  /**
   * Parses the payload of a token.
   *
   * @throws IOException if it is not a JSON object in UTF-8, or its times are not numbers
   */
  static TokenClaims parse(byte[] payload) throws IOException {
    String json = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(payload)).toString();
    try (JsonParser parser = JSON.createParser(json)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw new IOException("not an object");
      }
      TokenClaims claims = read(parser);
      if (parser.nextToken() != null) {
        throw new IOException("more than an object");
      }
      return claims;
    }
  }

  private static TokenClaims read(JsonParser parser) throws IOException {
    Map<String, String> scalars = new HashMap<>();
    List<String> audience = new ArrayList<>();
    double expires = Double.POSITIVE_INFINITY;
    double notBefore = Double.NEGATIVE_INFINITY;
    String name;
    while ((name = parser.nextFieldName()) != null) {
      JsonToken token = parser.nextToken();
      switch (name) {
        case "exp" -> expires = seconds(parser);
        case "nbf" -> notBefore = seconds(parser);
        case "aud" -> readAudience(parser, audience);
        default -> {}
      }
      String scalar = token.isScalarValue() ? scalar(parser) : null;
      if (scalar != null) {
        scalars.put(name, scalar);
      }
      parser.skipChildren();
    }
    return new TokenClaims(Map.copyOf(scalars), expires, notBefore, List.copyOf(audience));
  }

  private static double seconds(JsonParser parser) throws IOException {
    if (!parser.currentToken().isNumeric()) {
      throw new IOException("a time must be a number");
    }
    return parser.getDoubleValue();
  }

  private static void readAudience(JsonParser parser, List<String> audience) throws IOException {
    if (parser.currentToken() == JsonToken.VALUE_STRING) {
      audience.add(parser.getText());
    } else if (parser.currentToken() == JsonToken.START_ARRAY) {
      while (parser.nextToken() != JsonToken.END_ARRAY) {
        if (parser.currentToken() == JsonToken.VALUE_STRING) {
          audience.add(parser.getText());
        } else {
          parser.skipChildren();
        }
      }
    }
  }

  private static @Nullable String scalar(JsonParser parser) throws IOException {
    return switch (parser.currentToken()) {
      case VALUE_STRING, VALUE_TRUE, VALUE_FALSE -> parser.getText();
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> ClaimNumber.plain(parser.getText());
      default -> null;
    };
  }

  /**
   * Returns whether a token with these claims is acceptable if its signature is valid: accepted, or
   * the first reason for rejection. Clocks may differ by the leeway.
   *
   * @param issuer the required issuer; null for any
   * @param acceptedAudiences the accepted audiences, one of which is required; empty for any
   */
  TokenCheck.Result result(
      double nowSeconds,
      double leewaySeconds,
      @Nullable String issuer,
      List<String> acceptedAudiences) {
    if (!(nowSeconds < expires + leewaySeconds)) {
      return TokenCheck.Result.EXPIRED;
    }
    if (!(nowSeconds >= notBefore - leewaySeconds)) {
      return TokenCheck.Result.NOT_YET_VALID;
    }
    if (issuer != null && !issuer.equals(scalars.get("iss"))) {
      return TokenCheck.Result.ISSUER;
    }
    return acceptedAudiences.isEmpty() || acceptedAudiences.stream().anyMatch(audience::contains)
        ? TokenCheck.Result.ACCEPTED
        : TokenCheck.Result.AUDIENCE;
  }
}
