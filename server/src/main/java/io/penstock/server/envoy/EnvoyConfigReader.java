package io.penstock.server.envoy;

import io.penstock.policy.load.Fields;
import io.penstock.policy.load.Located;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.Problems;
import io.penstock.server.envoy.DescriptorLimit.LimitMode;
import io.penstock.server.envoy.DescriptorLimit.MetricNaming;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the configuration of envoyproxy/ratelimit. Reports every error with its location, and every
 * field that has no effect. Not thread-safe.
 */
final class EnvoyConfigReader {
  private static final Set<String> ROOT = Set.of("domain", "descriptors", "name");
  private static final Set<String> DESCRIPTOR =
      Set.of(
          "key",
          "value",
          "rate_limit",
          "descriptors",
          "shadow_mode",
          "quota_mode",
          "detailed_metric",
          "value_to_metric",
          "share_threshold",
          "metadata");
  private static final Set<String> RATE_LIMIT =
      Set.of("unit", "requests_per_unit", "unlimited", "name", "replaces");
  private static final long MAX_UINT32 = 0xffff_ffffL;

  /** The names that can be attributes of keys. */
  private static final Pattern ATTRIBUTE = Pattern.compile("[A-Za-z0-9._/-]{1,64}");

  private final Problems problems;
  private final boolean mergesDomains;
  private final Map<String, DescriptorNode> domains = new HashMap<>();
  private final Set<String> names = new HashSet<>();

  /** The labels of all limits, and the places where labels are replaced. */
  private final Set<String> labels = new HashSet<>();

  private final List<Located<String>> replaced = new ArrayList<>();

  /**
   * The descriptor that contains the one being read.
   *
   * @param path the composite keys from the domain on, separated by dots
   * @param keys the attributes of the entries that select a bucket
   * @param valueInMetric whether it or one that contains it has {@code value_to_metric}
   */
  private record Parent(
      DescriptorNode node, String path, List<String> keys, boolean valueInMetric) {}

  EnvoyConfigReader(Problems problems, boolean mergesDomains) {
    this.problems = problems;
    this.mergesDomains = mergesDomains;
  }

  /** Reads a document and adds its limits. */
  void add(Node document) {
    Fields fields = Fields.of(new Located<>(document, document.at(), ""), problems);
    if (fields == null) {
      return;
    }
    reportMisplaced(fields, ROOT);
    String domain = text(fields, "domain");
    // The name that control planes give to a configuration.
    String unused = text(fields, "name");
    DescriptorNode root = domain == null ? null : root(domain, fields);
    if (domain == null) {
      fields.error("domain", "is required: the domain that requests state, such as envoy");
    }
    if (root == null) {
      // Errors below it are reported all the same.
      root = DescriptorNode.root(fields.at());
    }
    descriptors(fields, new Parent(root, String.valueOf(domain), List.of(), false));
    fields.done();
  }

  /** Returns the configuration of all documents. Call it only if there are no errors. */
  EnvoyConfig finish() {
    for (Located<String> label : replaced) {
      if (!labels.contains(label.value())) {
        problems.warning(
            label.at(), label.path(), "replaces a limit that doesn't exist: " + label.value());
      }
    }
    domains.forEach(
        (name, root) -> {
          List<DescriptorLimit> limits = new ArrayList<>();
          root.forEachLimit(limits::add);
          if (limits.stream().allMatch(DescriptorLimit::isUnlimited)) {
            problems.warning(root.at(), "", "limits no request of the domain " + name);
          }
        });
    return new EnvoyConfig(domains, problems.warnings());
  }

  private @Nullable DescriptorNode root(String domain, Fields fields) {
    DescriptorNode existing = domains.get(domain);
    if (existing == null) {
      DescriptorNode root = DescriptorNode.root(fields.at());
      domains.put(domain, root);
      return root;
    }
    if (mergesDomains) {
      return existing;
    }
    fields.error(
        "domain",
        "is already configured "
            + existing.at().reference()
            + "; set envoy_merge_domains to merge the files of a domain: "
            + domain);
    return null;
  }

  private void descriptors(Fields fields, Parent parent) {
    List<Located<Node>> items = list(fields, "descriptors");
    for (Located<Node> item : items) {
      Fields descriptor = Fields.of(item, problems);
      if (descriptor != null) {
        descriptor(descriptor, parent);
      }
    }
  }

  private void descriptor(Fields fields, Parent parent) {
    reportMisplaced(fields, DESCRIPTOR);
    String key = text(fields, "key");
    String value = text(fields, "value");
    if (key == null) {
      fields.error("key", "is required");
    }
    String composite = value == null ? String.valueOf(key) : key + "_" + value;
    String path = parent.path + "." + composite;
    boolean wildcard = Wildcard.isWildcard(composite);
    boolean shares = flag(fields, "share_threshold");
    if (shares && !wildcard) {
      fields.error("share_threshold", "needs a value with a wildcard (*)");
    }
    LimitMode mode = new LimitMode(flag(fields, "shadow_mode"), flag(fields, "quota_mode"));
    boolean selectsBucket = value == null ? !shares : wildcard && !shares;
    List<String> keys = new ArrayList<>(parent.keys);
    if (selectsBucket && key != null) {
      keys.add(attribute(key, keys));
    }
    Node.Mapping metadata = metadata(fields);
    boolean valueInMetric = flag(fields, "value_to_metric");
    boolean anyValueInMetric = valueInMetric || parent.valueInMetric;
    MetricNaming naming =
        flag(fields, "detailed_metric")
            ? MetricNaming.ALL_VALUES
            : anyValueInMetric ? MetricNaming.SOME_VALUES : MetricNaming.PATH;
    DescriptorLimit limit = limit(fields, new LimitContext(path, mode, keys, naming, metadata));
    DescriptorNode node =
        new DescriptorNode(
            String.valueOf(key),
            value == null ? "" : value,
            fields.at(),
            selectsBucket,
            valueInMetric,
            limit);
    if (key != null) {
      DescriptorNode existing = parent.node.add(composite, node);
      if (existing != null) {
        fields.error(
            "key", "is configured twice, first " + existing.at().reference() + ": " + composite);
      }
    }
    descriptors(fields, new Parent(node, path, keys, anyValueInMetric));
    fields.done();
  }

  /** What a limit inherits from its descriptor. */
  private record LimitContext(
      String path,
      LimitMode mode,
      List<String> keys,
      MetricNaming naming,
      Node.@Nullable Mapping metadata) {}

  private @Nullable DescriptorLimit limit(Fields descriptor, LimitContext context) {
    Fields fields = descriptor.given("rate_limit") ? descriptor.mapping("rate_limit") : null;
    if (fields == null) {
      return null;
    }
    reportMisplaced(fields, RATE_LIMIT);
    boolean unlimited = flag(fields, "unlimited");
    LimitUnit unit = unit(fields, unlimited);
    long requests = requests(fields, unlimited);
    String label = text(fields, "name");
    Set<String> replaces = replaces(fields, label);
    fields.done();
    if (label != null) {
      labels.add(label);
    }
    return new DescriptorLimit(
        uniqueName(context.path),
        label == null ? "" : label,
        unlimited ? null : unit == null ? LimitUnit.SECOND : unit,
        requests,
        replaces,
        context.mode,
        context.keys,
        context.naming,
        context.metadata);
  }

  /** Different paths may look the same, because keys and values may contain dots. */
  private String uniqueName(String path) {
    String name = path;
    for (int i = 2; !names.add(name); i++) {
      name = path + " (" + i + ")";
    }
    return name;
  }

  private @Nullable LimitUnit unit(Fields fields, boolean unlimited) {
    String text = text(fields, "unit");
    if (unlimited) {
      // Control planes write the unit of unlimited descriptors as unknown.
      if (text != null && !text.equalsIgnoreCase("unknown")) {
        fields.error("unit", "must not be set with unlimited: true");
      }
      return null;
    }
    if (text == null) {
      fields.error("unit", "is required: " + String.join(" | ", LimitUnit.BY_NAME.keySet()));
      return null;
    }
    LimitUnit unit = LimitUnit.BY_NAME.get(text.toLowerCase(Locale.ROOT));
    return unit == null ? fields.choice("unit", LimitUnit.BY_NAME) : unit;
  }

  private long requests(Fields fields, boolean unlimited) {
    if (!fields.given("requests_per_unit")) {
      if (!unlimited) {
        fields.warning("requests_per_unit", "is missing, which denies every request");
      }
      Node unused = fields.node("requests_per_unit");
      return 0;
    }
    Long number =
        fields.number(
            "requests_per_unit",
            value -> {
              if (value.signum() < 0
                  || value.stripTrailingZeros().scale() > 0
                  || value.compareTo(BigDecimal.valueOf(MAX_UINT32)) > 0) {
                throw new IllegalArgumentException(
                    "must be a whole number from 0 to "
                        + MAX_UINT32
                        + ": "
                        + value.toPlainString());
              }
              return value.longValueExact();
            });
    long requests = number == null ? 0 : number;
    if (requests > DescriptorLimit.MAX_REQUESTS) {
      fields.warning(
          "requests_per_unit", "is treated as " + DescriptorLimit.MAX_REQUESTS + ": " + requests);
    }
    return requests;
  }

  private Set<String> replaces(Fields fields, @Nullable String label) {
    Set<String> replaces = new LinkedHashSet<>();
    for (Located<Node> item : list(fields, "replaces")) {
      Fields entry = Fields.of(item, problems);
      if (entry == null) {
        continue;
      }
      String name = text(entry, "name");
      if (name == null) {
        entry.error("name", "is required: the name of the limit to replace");
      } else if (name.equals(label)) {
        entry.error("name", "must not be the limit's own name: " + name);
      } else {
        replaces.add(name);
        replaced.add(new Located<>(name, entry.at(), entry.path("name")));
      }
      entry.done();
    }
    return replaces;
  }

  private Node.@Nullable Mapping metadata(Fields fields) {
    if (!fields.given("metadata")) {
      return null;
    }
    if (fields.node("metadata") instanceof Node.Mapping mapping) {
      return mapping;
    }
    fields.error("metadata", "must be a mapping");
    return null;
  }

  /** Returns the name of an attribute for the entries with a key. */
  private static String attribute(String key, List<String> before) {
    return ATTRIBUTE.matcher(key).matches() && !before.contains(key)
        ? key
        : "entry" + before.size();
  }

  /**
   * The reference accepts all of its fields everywhere, and ignores them where they don't belong.
   */
  private static void reportMisplaced(Fields fields, Set<String> expected) {
    for (String name : fields.names()) {
      Set<String> home =
          DESCRIPTOR.contains(name) ? DESCRIPTOR : RATE_LIMIT.contains(name) ? RATE_LIMIT : ROOT;
      if (!expected.contains(name) && home.contains(name)) {
        fields.warning(
            name,
            "has no effect here; it belongs to "
                + (home == DESCRIPTOR
                    ? "a descriptor"
                    : home == RATE_LIMIT ? "rate_limit" : "the document"));
        fields.declareKnown(Set.of(name));
      }
    }
    fields.declareKnown(expected.stream().sorted().toList());
  }

  /** Returns a text that is present and not empty. */
  private static @Nullable String text(Fields fields, String name) {
    String text = fields.given(name) ? fields.text(name) : null;
    return text == null || text.isEmpty() ? null : text;
  }

  private static boolean flag(Fields fields, String name) {
    return fields.given(name) && fields.flag(name);
  }

  private static List<Located<Node>> list(Fields fields, String name) {
    List<Located<Node>> items = fields.given(name) ? fields.list(name) : null;
    return items == null ? List.of() : items;
  }
}
