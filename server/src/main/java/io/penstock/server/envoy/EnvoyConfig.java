package io.penstock.server.envoy;

import io.penstock.policy.load.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The limits of all domains, without errors. Immutable.
 *
 * @param domains the root of each domain
 * @param warnings for the author
 */
record EnvoyConfig(Map<String, DescriptorNode> domains, List<Problem> warnings) {
  /** The configuration before any has been loaded. */
  static final EnvoyConfig NONE = new EnvoyConfig(Map.of(), List.of());

  EnvoyConfig {
    domains = Map.copyOf(domains);
    warnings = List.copyOf(warnings);
  }

  boolean hasDomain(String domain) {
    return domains.containsKey(domain);
  }

  /**
   * Returns the limit that applies to a descriptor. A limit applies only to descriptors with as
   * many entries as it has levels.
   */
  Optional<DescriptorMatch> match(String domain, List<DescriptorEntry> entries) {
    DescriptorNode node = domains.get(domain);
    List<String> variables = new ArrayList<>();
    for (int i = 0; i < entries.size() && node != null; i++) {
      node = node.find(entries.get(i));
      String variable = node == null ? null : node.variable(entries.get(i));
      if (variable != null) {
        variables.add(variable);
      }
    }
    DescriptorLimit limit = node == null ? null : node.limit();
    return Optional.ofNullable(limit)
        .map(found -> new DescriptorMatch(found, variables, metric(domain, found, entries)));
  }

  private String metric(String domain, DescriptorLimit limit, List<DescriptorEntry> entries) {
    if (limit.naming() == DescriptorLimit.MetricNaming.PATH) {
      return limit.name();
    }
    StringBuilder name = new StringBuilder(domain);
    DescriptorNode node = domains.get(domain);
    for (DescriptorEntry entry : entries) {
      node = node == null ? null : node.find(entry);
      if (node != null) {
        node.appendMetric(
            entry, limit.naming() == DescriptorLimit.MetricNaming.ALL_VALUES, name.append('.'));
      }
    }
    return name.toString();
  }

  /** Returns all limits. */
  List<DescriptorLimit> limits() {
    List<DescriptorLimit> limits = new ArrayList<>();
    domains.values().forEach(domain -> domain.forEachLimit(limits::add));
    return limits;
  }
}
