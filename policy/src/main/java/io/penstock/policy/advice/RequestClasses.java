package io.penstock.policy.advice;

import io.penstock.policy.Attribute;
import io.penstock.policy.accesslog.LogEntry;
import io.penstock.policy.path.NormalPath;
import io.penstock.policy.path.PathSettings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds the class of each request by the attributes that limits are suggested for. Memory is
 * bounded whatever the log contains. Not thread-safe.
 */
final class RequestClasses {
  /** The result for requests that lack an attribute. */
  static final int NONE = -1;

  /** The result for requests of further classes. */
  static final int OTHER = -2;

  private static final int MAX_CLASSES = 20_000;
  private static final long MAX_BYTES = 16 << 20;
  private static final int PATHS = 1 << 13;
  private static final int MAX_CACHED_LENGTH = 256;

  private final List<Attribute> attributes;
  private final PathFolding folding;
  private final Map<String, Integer> ids = new HashMap<>();
  private final List<RequestClass> classes = new ArrayList<>();
  private final StringBuilder key = new StringBuilder();
  private final @Nullable CachedPath[] recent = new @Nullable CachedPath[PATHS];
  private long bytes;

  private record CachedPath(String path, PathFolding.FoldedPath folded) {}

  RequestClasses(List<Attribute> attributes, PathFolding folding) {
    this.attributes = attributes;
    this.folding = folding;
  }

  List<RequestClass> all() {
    return classes;
  }

  /** Returns the number of a request's class, whose path is not rejected; or a negative result. */
  int find(LogEntry entry) {
    key.setLength(0);
    boolean isRepeated = false;
    for (int i = 0; i < attributes.size(); i++) {
      Attribute attribute = attributes.get(i);
      String value = attribute.of(entry);
      if (value == null) {
        return NONE;
      }
      List<String> values =
          attribute.source().isOmittable() && value.contains(", ")
              ? entry.values(attribute)
              : List.of();
      isRepeated |= values.size() > 1;
      key.append(values.size() > 1 ? String.join("\u0001", values) : keyOf(attribute, value));
      key.append('\u0000');
    }
    Integer known = ids.get(key.toString());
    return known == null ? add(entry, isRepeated) : known;
  }

  private String keyOf(Attribute attribute, String value) {
    return switch (attribute.source()) {
      case PATH -> folded(value).key();
      case METHOD -> method(value);
      default -> value;
    };
  }

  private int add(LogEntry entry, boolean isRepeated) {
    long size = 4L * key.length() + entry.bytes();
    if (classes.size() == MAX_CLASSES || bytes + size > MAX_BYTES) {
      return OTHER;
    }
    bytes += size;
    ids.put(key.toString(), classes.size());
    classes.add(new RequestClass(isRepeated ? null : match(entry), entry));
    return classes.size() - 1;
  }

  /** Returns what a rule for the request would match; null if no rule can. */
  private @Nullable Map<String, String> match(LogEntry entry) {
    Map<String, String> match = new LinkedHashMap<>();
    for (Attribute attribute : attributes) {
      String value = String.valueOf(attribute.of(entry));
      String matched =
          switch (attribute.source()) {
            case PATH -> folded(value).pattern();
            case METHOD -> method(value);
            case HOST -> value.indexOf('*') < 0 ? value : "";
            default -> value;
          };
      if (matched.isEmpty()) {
        return null;
      }
      match.put(attribute.toString(), matched);
    }
    return match;
  }

  /** A rule for GET applies to HEAD as well. */
  private static String method(String method) {
    return method.equals("HEAD") ? "GET" : method;
  }

  private PathFolding.FoldedPath folded(String path) {
    int slot = (path.hashCode() ^ path.hashCode() >>> 16) & (PATHS - 1);
    CachedPath cached = recent[slot];
    if (cached != null && cached.path.equals(path)) {
      return cached.folded;
    }
    String matched = NormalPath.matched(path, PathSettings.DEFAULT);
    PathFolding.FoldedPath result = folding.folded(matched == null ? path : matched);
    if (path.length() <= MAX_CACHED_LENGTH) {
      recent[slot] = new CachedPath(path, result);
    }
    return result;
  }
}
