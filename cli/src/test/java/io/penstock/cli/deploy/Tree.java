package io.penstock.cli.deploy;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A node of a YAML or JSON document. Reading a missing value fails the test. */
record Tree(Object value) {
  /** Returns the node at a path such as {@code spec.replicas}. */
  Tree at(String path) {
    Object current = value;
    for (String name : path.split("\\.", -1)) {
      if (!(current instanceof Map<?, ?> map) || !map.containsKey(name)) {
        throw new AssertionError("no " + path + " in " + value);
      }
      current = map.get(name);
    }
    return new Tree(current);
  }

  boolean has(String name) {
    return value instanceof Map<?, ?> map && map.containsKey(name);
  }

  List<Tree> items() {
    if (!(value instanceof List<?> list)) {
      throw new AssertionError("not a list: " + value);
    }
    return list.stream().<Tree>map(Tree::new).toList();
  }

  /** Returns the only item of a list whose field has a value. */
  Tree item(String name, String wanted) {
    List<Tree> found = items().stream().filter(i -> i.at(name).text().equals(wanted)).toList();
    if (found.size() != 1) {
      throw new AssertionError(found.size() + " with " + name + " " + wanted + " in " + value);
    }
    return found.get(0);
  }

  Map<String, Tree> entries() {
    if (!(value instanceof Map<?, ?> map)) {
      throw new AssertionError("not a map: " + value);
    }
    Map<String, Tree> entries = new TreeMap<>();
    map.forEach((name, entry) -> entries.put(String.valueOf(name), new Tree(entry)));
    return entries;
  }

  List<String> texts() {
    return items().stream().map(Tree::text).toList();
  }

  String text() {
    return String.valueOf(value);
  }

  int number() {
    return Integer.parseInt(text());
  }
}
