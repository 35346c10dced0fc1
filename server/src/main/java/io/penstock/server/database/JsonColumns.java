package io.penstock.server.database;

import com.fasterxml.jackson.core.JsonGenerator;
import io.penstock.policy.http.Json;
import io.penstock.policy.load.Document;
import io.penstock.policy.load.Location;
import io.penstock.policy.load.MatchTexts;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.Problems;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads and writes JSON columns, in a canonical form. */
final class JsonColumns {
  static final String EMPTY = "{}";

  private static final String NAME = "column.json";

  /** The max number of zeros; a number that would have more keeps its exponent. */
  private static final int MAX_ZEROS = 1_000;

  private JsonColumns() {}

  /**
   * Parses JSON, with all nodes at one location; returns null and adds an error if it is malformed.
   */
  static @Nullable Node parse(String json, Location at, String path, Problems problems) {
    if (json.equals(EMPTY)) {
      return new Node.Mapping(at, Map.of());
    }
    Problems own = new Problems();
    Node tree = Document.parse(json, NAME, own);
    own.errors().forEach(error -> problems.error(at, path, error.message()));
    return tree == null ? null : relocate(tree, at);
  }

  private static Node relocate(Node node, Location at) {
    if (node instanceof Node.Scalar scalar) {
      return new Node.Scalar(at, scalar.text(), scalar.kind());
    }
    if (node instanceof Node.Sequence sequence) {
      return new Node.Sequence(
          at, sequence.items().stream().map(item -> relocate(item, at)).toList());
    }
    Map<String, Node.NodeField> entries = new LinkedHashMap<>();
    ((Node.Mapping) node)
        .entries()
        .forEach(
            (name, entry) ->
                entries.put(name, new Node.NodeField(at, relocate(entry.value(), at))));
    return new Node.Mapping(at, entries);
  }

  /** Returns JSON with sorted keys and no whitespace; malformed JSON is returned unchanged. */
  static String canonical(String json) {
    if (json.equals(EMPTY)) {
      return EMPTY;
    }
    Node tree = Document.parse(json, NAME, new Problems());
    return tree == null ? json : text(tree);
  }

  /** Returns a match in canonical form, with its values as strings, as they are compared. */
  static String canonicalMatch(String json) {
    if (json.equals(EMPTY)) {
      return EMPTY;
    }
    Node tree = Document.parse(json, NAME, new Problems());
    return tree instanceof Node.Mapping match ? text(MatchTexts.of(match)) : canonical(json);
  }

  /** Formats a tree as JSON with sorted keys. */
  static String text(Node tree) {
    return new String(Json.bytes(json -> write(tree, json, true)), StandardCharsets.UTF_8);
  }

  /** Writes a tree in its own order. */
  static void write(Node tree, JsonGenerator json) throws IOException {
    write(tree, json, false);
  }

  private static void write(Node node, JsonGenerator json, boolean sorted) throws IOException {
    if (node instanceof Node.Scalar scalar) {
      write(scalar, json);
    } else if (node instanceof Node.Sequence sequence) {
      json.writeStartArray();
      List<Node> items = sequence.items();
      for (Node item : items) {
        write(item, json, sorted);
      }
      json.writeEndArray();
    } else if (node instanceof Node.Mapping mapping) {
      json.writeStartObject();
      Map<String, Node.NodeField> entries =
          sorted ? new TreeMap<>(mapping.entries()) : mapping.entries();
      for (Map.Entry<String, Node.NodeField> entry : entries.entrySet()) {
        json.writeFieldName(entry.getKey());
        write(entry.getValue().value(), json, sorted);
      }
      json.writeEndObject();
    }
  }

  private static void write(Node.Scalar scalar, JsonGenerator json) throws IOException {
    switch (scalar.kind()) {
      case TEXT -> json.writeString(scalar.text());
      case NUMBER -> writeNumber(scalar.text(), json);
      case BOOLEAN -> json.writeBoolean(Boolean.parseBoolean(scalar.text()));
      case NULL -> json.writeNull();
    }
  }

  private static void writeNumber(String written, JsonGenerator json) throws IOException {
    String plain;
    try {
      plain = plain(new BigDecimal(written));
    } catch (ArithmeticException | NumberFormatException e) {
      // The exponent is out of range. As a string, it is rejected when the rule is read.
      json.writeString(written);
      return;
    }
    json.writeNumber(plain);
  }

  /**
   * Formats a number without trailing zeros, and without an exponent unless it would be too long.
   */
  static String plain(BigDecimal number) {
    if (number.signum() == 0) {
      return "0";
    }
    BigDecimal stripped = number.stripTrailingZeros();
    return Math.abs((long) stripped.scale()) <= MAX_ZEROS
        ? stripped.toPlainString()
        : stripped.toString();
  }
}
