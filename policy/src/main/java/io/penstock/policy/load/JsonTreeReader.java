package io.penstock.policy.load;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Reads strict JSON, without comments or trailing commas. */
final class JsonTreeReader {
  /** Field names come from clients, so they must not be interned. */
  private static final JsonFactory JSON =
      JsonFactory.builder().disable(JsonFactory.Feature.INTERN_FIELD_NAMES).build();

  private JsonTreeReader() {}

  static void read(String text, String file, TreeBuilder tree) throws MalformedException {
    read(text, file, tree, true);
  }

  /** Reads a document without locations, which takes less time. */
  static void readUnlocated(String text, String file, TreeBuilder tree) throws MalformedException {
    read(text, file, tree, false);
  }

  private static void read(String text, String file, TreeBuilder tree, boolean locates)
      throws MalformedException {
    Location whole = Location.of(file);
    try (JsonParser parser = JSON.createParser(text)) {
      try {
        for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
          Location at = locates ? locationOf(file, parser.currentTokenLocation()) : whole;
          take(token, parser, at, tree);
        }
      } catch (JsonProcessingException e) {
        throw new MalformedException(locationOf(file, e, parser), readable(e.getOriginalMessage()));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns where the parser stopped. It reports values that are too long without a location. */
  private static Location locationOf(String file, JsonProcessingException e, JsonParser parser) {
    JsonLocation location = e.getLocation();
    return locationOf(file, location == null ? parser.currentLocation() : location);
  }

  private static void take(JsonToken token, JsonParser parser, Location at, TreeBuilder tree)
      throws IOException, MalformedException {
    switch (token) {
      case START_OBJECT -> tree.openMapping(at);
      case START_ARRAY -> tree.openSequence(at);
      case END_OBJECT, END_ARRAY -> tree.close();
      case FIELD_NAME -> tree.key(parser.getText(), at);
      default -> tree.scalar(new Node.Scalar(at, parser.getText(), kind(token)));
    }
  }

  private static Node.NodeKind kind(JsonToken token) {
    if (token.isNumeric()) {
      return Node.NodeKind.NUMBER;
    }
    if (token.isBoolean()) {
      return Node.NodeKind.BOOLEAN;
    }
    return token == JsonToken.VALUE_NULL ? Node.NodeKind.NULL : Node.NodeKind.TEXT;
  }

  private static Location locationOf(String file, JsonLocation location) {
    return new Location(file, location.getLineNr(), location.getColumnNr());
  }

  /**
   * Removes advice on parser settings from a message, and the quoted text, which may be an unquoted
   * secret.
   */
  private static String readable(String message) {
    return message
        .replaceAll("(?s)(Unrecognized|Non-standard) token '.*?'", "$1 token")
        .replaceAll("\\[Source: [^;]*; line: (\\d+), column: (\\d+)]", "line $1, column $2")
        .replaceAll("(\\d+), from `[\\w.]+\\(\\)`", "$1")
        .replaceAll(": enable `\\w+\\.\\w+` to allow", "")
        .replaceAll(" \\(not recognized as one since Feature '\\w+' not enabled for parser\\)", "");
  }
}
