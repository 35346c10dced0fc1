package io.penstock.server.database;

import com.fasterxml.jackson.core.JsonGenerator;
import io.penstock.policy.http.Json;
import io.penstock.policy.load.Document;
import io.penstock.policy.load.Location;
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
final class JsonTree {
  static final String EMPTY = "{}";

  private static final String NAME = "column.json";

  private JsonTree() {}

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
    Map<String, Node.Entry> entries = new LinkedHashMap<>();
    ((Node.Mapping) node)
        .entries()
        .forEach((name, entry) -> entries.put(name, new Node.Entry(at, moved(entry.value(), at))));
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
      Map<String, Node.Entry> entries =
          sorted ? new TreeMap<>(mapping.entries()) : mapping.entries();
      for (Map.Entry<String, Node.Entry> entry : entries.entrySet()) {
        json.writeFieldName(entry.getKey());
        write(entry.getValue().value(), json, sorted);
      }
      json.writeEndObject();
    }
  }

  private static void write(Node.Scalar scalar, JsonGenerator json) throws IOException {
    switch (scalar.kind()) {
      case TEXT -> json.writeString(scalar.text());
      case NUMBER -> json.writeNumber(plain(new BigDecimal(scalar.text())));
      case BOOLEAN -> json.writeBoolean(Boolean.parseBoolean(scalar.text()));
      case NULL -> json.writeNull();
    }
  }

  /** Without an exponent and without zeros at the end. */
  static String plain(BigDecimal number) {
    return number.signum() == 0 ? "0" : number.stripTrailingZeros().toPlainString();
  }
}
