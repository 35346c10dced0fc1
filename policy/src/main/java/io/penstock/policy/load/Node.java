package io.penstock.policy.load;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A piece of a JSON or YAML document that knows its place. Immutable. */
public sealed interface Node {
  /** Where it begins. */
  Location at();

  /** What it is, for messages: {@code a list}. */
  String what();

  /** What a scalar was written as. */
  enum NodeKind {
    TEXT,
    NUMBER,
    BOOLEAN,
    NULL
  }

  /**
   * A single value.
   *
   * @param text as written, so that a number keeps all its digits; without quotes
   */
  record Scalar(Location at, String text, NodeKind kind) implements Node {
    @Override
    public String what() {
      return switch (kind) {
        case TEXT -> "text";
        case NUMBER -> "a number";
        case BOOLEAN -> "true or false";
        case NULL -> "nothing";
      };
    }
  }

  /** A list. */
  record Sequence(Location at, List<Node> items) implements Node {
    public Sequence {
      items = List.copyOf(items);
    }

    @Override
    public String what() {
      return "a list";
    }
  }

  /** Values by their keys, in the order written. */
  record Mapping(Location at, Map<String, NodeField> entries) implements Node {
    public Mapping {
      entries = Collections.unmodifiableMap(new LinkedHashMap<>(entries));
    }

    @Override
    public String what() {
      return "a mapping";
    }
  }

  /**
   * A value of a mapping.
   *
   * @param at where its key is
   */
  record NodeField(Location at, Node value) {}
}
