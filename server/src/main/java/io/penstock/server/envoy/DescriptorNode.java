package io.penstock.server.envoy;

import io.penstock.policy.load.Location;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A configured descriptor with those nested in it, or the root of a domain. Built by one thread,
 * and not modified afterwards.
 */
final class DescriptorNode {
  private final String key;
  private final String value;
  private final Location at;
  private final boolean selectsBucket;
  private final boolean valueInMetric;
  private final @Nullable DescriptorLimit limit;

  /** The nested descriptors by {@code key} or {@code key_value}, as in envoyproxy/ratelimit. */
  private final Map<String, DescriptorNode> children = new LinkedHashMap<>();

  /** Those of {@link #children} that contain wildcards, in the order of the file. */
  private final List<WildcardChild> wildcards = new ArrayList<>();

  private record WildcardChild(Wildcard pattern, DescriptorNode node) {}

  /**
   * @param key empty for the root of a domain
   * @param value empty for any
   * @param selectsBucket whether each value of an entry has a bucket of its own
   * @param valueInMetric whether statistics name each value of an entry
   */
  DescriptorNode(
      String key,
      String value,
      Location at,
      boolean selectsBucket,
      boolean valueInMetric,
      @Nullable DescriptorLimit limit) {
    this.key = key;
    this.value = value;
    this.at = at;
    this.selectsBucket = selectsBucket;
    this.valueInMetric = valueInMetric;
    this.limit = limit;
  }

  /** Returns the root of a domain. */
  static DescriptorNode root(Location at) {
    return new DescriptorNode("", "", at, false, false, null);
  }

  String key() {
    return key;
  }

  String value() {
    return value;
  }

  /** Returns whether each value of an entry has a bucket of its own. */
  boolean selectsBucket() {
    return selectsBucket;
  }

  Location at() {
    return at;
  }

  @Nullable DescriptorLimit limit() {
    return limit;
  }

  /** Adds a nested descriptor; returns the one with the same composite key, if there is one. */
  @Nullable DescriptorNode add(String composite, DescriptorNode child) {
    DescriptorNode existing = children.putIfAbsent(composite, child);
    if (existing == null && Wildcard.isWildcard(composite)) {
      wildcards.add(new WildcardChild(Wildcard.parse(composite), child));
    }
    return existing;
  }

  /**
   * Returns the nested descriptor for an entry: the one with its key and value, otherwise the first
   * one whose wildcard matches, otherwise the one with its key alone.
   */
  @Nullable DescriptorNode find(DescriptorEntry entry) {
    String composite = entry.composite();
    DescriptorNode exact = children.get(composite);
    if (exact != null) {
      return exact;
    }
    for (WildcardChild wildcard : wildcards) {
      if (wildcard.pattern.matches(composite)) {
        return wildcard.node;
      }
    }
    return children.get(entry.key());
  }

  /** Returns the part of a matching entry that selects a bucket; null if all entries share one. */
  @Nullable String variable(DescriptorEntry entry) {
    if (!selectsBucket) {
      return null;
    }
    return key.equals(entry.key()) ? entry.value() : entry.composite();
  }

  /**
   * Appends the part of a metric's name that stands for a matching entry.
   *
   * @param withValue whether its value is part of the name in any case
   */
  void appendMetric(DescriptorEntry entry, boolean withValue, StringBuilder name) {
    boolean sharesBucket = Wildcard.isWildcard(value) && !selectsBucket;
    if (!sharesBucket && (withValue || valueInMetric)) {
      name.append(entry.value().isEmpty() ? entry.key() : entry.composite());
    } else {
      name.append(value.isEmpty() ? key : key + "_" + value);
    }
  }

  /** Calls {@code action} with each limit of this descriptor and those nested in it. */
  void forEachLimit(Consumer<DescriptorLimit> action) {
    if (limit != null) {
      action.accept(limit);
    }
    children.values().forEach(child -> child.forEachLimit(action));
  }

  /**
   * Calls {@code action} with the path to each nested descriptor that has a limit or nothing nested
   * in it, in the order in which they match.
   */
  void forEachPath(Consumer<List<DescriptorNode>> action) {
    forEachPath(List.of(), action);
  }

  private void forEachPath(List<DescriptorNode> before, Consumer<List<DescriptorNode>> action) {
    for (DescriptorNode child : inOrderOfMatching()) {
      List<DescriptorNode> path = new ArrayList<>(before);
      path.add(child);
      if (child.limit != null || child.children.isEmpty()) {
        action.accept(path);
      }
      child.forEachPath(path, action);
    }
  }

  /**
   * Calls {@code action} with each nested descriptor behind another one with the same key, if both
   * have descriptors nested in them: the second one is not tried where the first one matches.
   */
  void forEachShadowed(BiConsumer<DescriptorNode, DescriptorNode> action) {
    Map<String, DescriptorNode> first = new HashMap<>();
    for (DescriptorNode child : inOrderOfMatching()) {
      if (!child.children.isEmpty()) {
        boolean exact = !child.value.isEmpty() && !Wildcard.isWildcard(child.value);
        DescriptorNode before = first.putIfAbsent(child.key, child);
        if (before != null && !exact) {
          action.accept(before, child);
        }
      }
      child.forEachShadowed(action);
    }
  }

  private List<DescriptorNode> inOrderOfMatching() {
    List<DescriptorNode> ordered = new ArrayList<>(children.values());
    ordered.sort(
        Comparator.comparingInt(
            node -> node.value.isEmpty() ? 2 : Wildcard.isWildcard(node.value) ? 1 : 0));
    return ordered;
  }
}
