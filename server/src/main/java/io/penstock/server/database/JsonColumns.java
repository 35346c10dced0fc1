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

/** JSON in columns: as trees that all have one place, and in one form whoever wrote it. */
final class JsonColumns {
  static final String EMPTY = "{}";

  private static final String NAME = "column.json";

  /** What is longer without an exponent keeps it. */
  private static final int MAX_ZEROS = 1_000;

  private JsonColumns() {}

  /** The tree of {@code json}, all of it at one place; null, and an error, if it can't be read. */
  static @Nullable Node parse(String json, Location at, String path, Problems problems) {
    if (json.equals(EMPTY)) {
      return new Node.Mapping(at, Map.of());
    }
    Problems own = new Problems();
    Node tree = Document.parse(json, NAME, own);
    own.errors().forEach(error -> problems.error(at, path, error.message()));
    return tree == null ? null : moved(tree, at);
  }

  private static Node moved(Node node, Location at) {
    if (node instanceof Node.Scalar scalar) {
      return new Node.Scalar(at, scalar.text(), scalar.kind());
    }
    if (node instanceof Node.Sequence sequence) {
      return new Node.Sequence(at, sequence.items().stream().map(item -> moved(item, at)).toList());
    }
    Map<String, Node.NodeField> entries = new LinkedHashMap<>();
    ((Node.Mapping) node)
        .entries()
        .forEach(
            (name, entry) -> entries.put(name, new Node.NodeField(at, moved(entry.value(), at))));
    return new Node.Mapping(at, entries);
  }

  /** The same JSON with its keys in order and nothing between; as it is if it can't be read. */
  static String canonical(String json) {
    if (json.equals(EMPTY)) {
      return EMPTY;
    }
    Node tree = Document.parse(json, NAME, new Problems());
    return tree == null ? json : text(tree);
  }

  /** A match, in that form, with its values as the texts that they are compared as. */
  static String canonicalMatch(String json) {
    if (json.equals(EMPTY)) {
      return EMPTY;
    }
    Node tree = Document.parse(json, NAME, new Problems());
    return tree instanceof Node.Mapping match ? text(MatchTexts.of(match)) : canonical(json);
  }

  /** A tree as JSON, its keys in order. */
  static String text(Node tree) {
    return new String(Json.bytes(json -> write(tree, json, true)), StandardCharsets.UTF_8);
  }

  /** Writes a tree as it is. */
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
      // Its exponent is beyond all numbers: whoever reads it will say that it is none.
      json.writeString(written);
      return;
    }
    json.writeNumber(plain);
  }

  /** Without zeros at the end, and without an exponent as long as that can be written out. */
  static String plain(BigDecimal number) {
    if (number.signum() == 0) {
      return "0";
    }
    BigDecimal brief = number.stripTrailingZeros();
    return Math.abs((long) brief.scale()) <= MAX_ZEROS ? brief.toPlainString() : brief.toString();
  }
}
