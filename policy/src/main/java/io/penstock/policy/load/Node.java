package io.penstock.policy.load;

import java.util.Collections;
import java.util.List;
import java.util.Map;

/** A node of a JSON or YAML document with its location. Immutable. */
public sealed interface Node {
  /** Returns where the node starts. */
  Location at();

  /** Returns what kind of node this is, for messages, such as {@code a list}. */
  String describe();

  /** Returns whether this is a null. */
  default boolean isNull() {
    return this instanceof Scalar scalar && scalar.kind() == NodeKind.NULL;
  }

  /** The kind of a scalar. */
  enum NodeKind {
    TEXT,
    NUMBER,
    BOOLEAN,
    NULL
  }

  /**
   * A single value.
   *
   * @param text as written but without quotes, so a number keeps all its digits
   */
  record Scalar(Location at, String text, NodeKind kind) implements Node {
    @Override
    public String describe() {
      return switch (kind) {
        case TEXT -> "text";
        case NUMBER -> "a number";
        case BOOLEAN -> "true or false";
        case NULL -> "null";
      };
    }
  }

  /** A list. */
  record Sequence(Location at, List<Node> items) implements Node {
    public Sequence {
      items = List.copyOf(items);
    }

    @Override
    public String describe() {
      return "a list";
    }
  }

  /**
   * A mapping.
   *
   * @param entries in the order written; not copied, so it must not be modified afterwards
   */
  record Mapping(Location at, Map<String, NodeField> entries) implements Node {
    public Mapping {
      entries = Collections.unmodifiableMap(entries);
    }

    @Override
    public String describe() {
      return "a mapping";
    }
  }

  /**
   * A field of a mapping.
   *
   * @param at the location of the key
   */
  record NodeField(Location at, Node value) {}
}
