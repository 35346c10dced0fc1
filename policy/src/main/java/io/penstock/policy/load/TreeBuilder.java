package io.penstock.policy.load;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Builds a tree from the events of a parser. Not thread-safe. */
final class TreeBuilder {
  private static final int MAX_DEPTH = 50;

  /** A list or mapping that is still being read. */
  private static final class OpenNode {
    final Location at;
    final @Nullable List<Node> items;
    final Map<String, Node.NodeField> entries;
    @Nullable String key;
    Location keyAt;

    OpenNode(Location at, @Nullable List<Node> items) {
      this.at = at;
      this.items = items;
      this.entries = items == null ? new LinkedHashMap<>() : Map.of();
      this.keyAt = at;
    }

    Node finish() {
      return items == null ? new Node.Mapping(at, entries) : new Node.Sequence(at, items);
    }
  }

  private final Problems problems;
  private final Deque<OpenNode> open = new ArrayDeque<>();
  private @Nullable Node root;

  TreeBuilder(Problems problems) {
    this.problems = problems;
  }

  /** Returns the root of the document; null if it is empty. */
  @Nullable Node root() {
    return root;
  }

  /** Returns whether a key is expected next rather than a value. */
  boolean expectsKey() {
    OpenNode innermost = open.peek();
    return innermost != null && innermost.items == null && innermost.key == null;
  }

  void key(String text, Location at) {
    OpenNode mapping = open.element();
    Node.NodeField first = mapping.entries.get(text);
    if (first != null) {
      problems.error(at, "", "duplicate key: " + text + ", first at " + first.at());
    }
    mapping.key = text;
    mapping.keyAt = at;
  }

  void scalar(Node.Scalar scalar) throws MalformedException {
    checkSingleRoot(scalar.at());
    add(scalar);
  }

  void openMapping(Location at) throws MalformedException {
    open(new OpenNode(at, null));
  }

  void openSequence(Location at) throws MalformedException {
    open(new OpenNode(at, new ArrayList<>()));
  }

  void close() {
    add(open.remove().finish());
  }

  private void open(OpenNode next) throws MalformedException {
    checkSingleRoot(next.at);
    if (open.size() == MAX_DEPTH) {
      throw new MalformedException(next.at, "must not be nested deeper than " + MAX_DEPTH);
    }
    open.push(next);
  }

  private void checkSingleRoot(Location at) throws MalformedException {
    if (open.isEmpty() && root != null) {
      throw new MalformedException(at, "must be one document: a second one begins here");
    }
  }

  private void add(Node node) {
    OpenNode innermost = open.peek();
    if (innermost == null) {
      root = node;
    } else if (innermost.items != null) {
      innermost.items.add(node);
    } else if (innermost.key != null) {
      innermost.entries.putIfAbsent(innermost.key, new Node.NodeField(innermost.keyAt, node));
      innermost.key = null;
    }
  }
}
