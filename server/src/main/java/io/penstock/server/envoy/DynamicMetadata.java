package io.penstock.server.envoy;

import io.penstock.policy.load.Node;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a response passes on to the next filters of Envoy: the request, and the metadata of the
 * limits that allowed it. Values are texts, numbers, booleans, null, lists and maps.
 */
final class DynamicMetadata {
  private DynamicMetadata() {}

  static Map<String, @Nullable Object> of(LimitQuery query, List<Node.Mapping> metadata) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("domain", query.domain());
    fields.put("descriptors", query.descriptors().stream().map(DynamicMetadata::of).toList());
    if (query.hits() > 0) {
      fields.put("hitsAddend", (double) query.hits());
    }
    Map<String, @Nullable Object> merged = new LinkedHashMap<>();
    metadata.forEach(each -> merge(each, merged));
    if (!merged.isEmpty()) {
      fields.put("metadata", merged);
    }
    return fields;
  }

  private static Map<String, @Nullable Object> of(DescriptorQuery descriptor) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put(
        "entries",
        descriptor.entries().stream().map(entry -> entry.key() + "=" + entry.value()).toList());
    LimitOverride limit = descriptor.override();
    if (limit != null) {
      fields.put("limit", limit.requestsPerUnit() + "/" + limit.unit().code());
    }
    if (descriptor.statesHits()) {
      fields.put("hitsAddend", (double) descriptor.hits());
    }
    return fields;
  }

  /** Adds fields to {@code merged}; those that are there already stay, unless both are mappings. */
  private static void merge(Node.Mapping from, Map<String, @Nullable Object> merged) {
    from.entries()
        .forEach(
            (name, field) -> {
              Object existing = merged.get(name);
              if (!merged.containsKey(name)) {
                merged.put(name, value(field.value()));
              } else if (existing instanceof Map<?, ?> && field.value() instanceof Node.Mapping) {
                @SuppressWarnings("unchecked") // Only value() creates maps.
                Map<String, @Nullable Object> nested = (Map<String, @Nullable Object>) existing;
                merge((Node.Mapping) field.value(), nested);
              }
            });
  }

  private static @Nullable Object value(Node node) {
    if (node instanceof Node.Mapping mapping) {
      Map<String, @Nullable Object> fields = new LinkedHashMap<>();
      merge(mapping, fields);
      return fields;
    }
    if (node instanceof Node.Sequence sequence) {
      List<@Nullable Object> items = new ArrayList<>();
      sequence.items().forEach(item -> items.add(value(item)));
      return items;
    }
    Node.Scalar scalar = (Node.Scalar) node;
    return switch (scalar.kind()) {
      case TEXT -> scalar.text();
      case NUMBER -> Double.valueOf(scalar.text());
      case BOOLEAN -> Boolean.valueOf(scalar.text());
      case NULL -> null;
    };
  }
}
