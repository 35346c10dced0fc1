package io.penstock.server.envoy;

import io.penstock.Store;
import io.penstock.policy.Mode;
import io.penstock.policy.Policy;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.PolicyObserver;
import io.penstock.policy.Rule;
import io.penstock.policy.address.ClientAddress;
import io.penstock.policy.jwt.JwtSettings;
import io.penstock.policy.load.Location;
import io.penstock.policy.load.PolicyException;
import io.penstock.policy.load.Problem;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The active limits: those of the configuration, each with a rule in a {@link PolicyEngine}, and
 * those that requests state. Thread-safe.
 */
final class EnvoyLimits implements AutoCloseable {
  /** The max number of different limits that requests may state. */
  static final int MAX_OVERRIDES = 256;

  private static final List<String> OVERRIDE_KEYS = List.of("domain", "descriptor");

  private final EnvoyOptions options;
  private final PolicyEngine engine;
  private final Map<LimitOverride, DescriptorLimit> overrides = new ConcurrentHashMap<>();
  private volatile EnvoyConfig config;

  /**
   * @throws PolicyException if the store doesn't support the limits
   */
  EnvoyLimits(EnvoyOptions options, EnvoyConfig initial, Store store, PolicyObserver observer) {
    this.options = options;
    this.config = initial;
    try {
      this.engine = new PolicyEngine(store, policy(config, List.of()), observer);
    } catch (IllegalArgumentException unsupported) {
      throw rejected(unsupported);
    }
  }

  PolicyEngine engine() {
    return engine;
  }

  EnvoyConfig config() {
    return config;
  }

  /**
   * Replaces the configuration. What was consumed stays consumed.
   *
   * @throws PolicyException if the store doesn't support the limits; the old ones then stay active
   */
  synchronized void replace(EnvoyConfig next) {
    replace(next, overrides.values());
    // Only now: a limit must have its rule before it is matched.
    config = next;
  }

  private void replace(EnvoyConfig next, Collection<DescriptorLimit> stated) {
    try {
      engine.replace(policy(next, stated));
    } catch (IllegalArgumentException unsupported) {
      throw rejected(unsupported);
    }
  }

  private PolicyException rejected(IllegalArgumentException reason) {
    return new PolicyException(
        List.of(
            new Problem(
                Problem.Severity.ERROR,
                Location.of(options.config().toString()),
                "",
                String.valueOf(reason.getMessage()))));
  }

  private Policy policy(EnvoyConfig of, Collection<DescriptorLimit> stated) {
    List<Rule> rules = new ArrayList<>();
    for (DescriptorLimit limit : of.limits()) {
      if (!limit.isUnlimited()) {
        rules.add(limit.rule(options.algorithm()));
      }
    }
    stated.forEach(limit -> rules.add(limit.rule(options.algorithm())));
    return new Policy(
        rules,
        List.of(),
        options.shadow() ? Mode.SHADOW : Mode.ENFORCE,
        ClientAddress.PEER,
        JwtSettings.NONE,
        null);
  }

  /**
   * Returns the limit that applies to a descriptor; empty for none.
   *
   * @throws InvalidQueryException if the descriptor states a limit and there are too many of them
   */
  Optional<DescriptorMatch> match(String domain, DescriptorQuery descriptor) {
    EnvoyConfig current = config;
    LimitOverride override = descriptor.override();
    if (override == null) {
      return current.match(domain, descriptor.entries());
    }
    if (!current.hasDomain(domain)) {
      return Optional.empty();
    }
    return Optional.of(
        new DescriptorMatch(
            limit(override),
            List.of(domain, text(descriptor.entries())),
            metric(domain, descriptor.entries())));
  }

  private DescriptorLimit limit(LimitOverride override) {
    DescriptorLimit known = overrides.get(override);
    return known == null ? add(override) : known;
  }

  private synchronized DescriptorLimit add(LimitOverride override) {
    DescriptorLimit known = overrides.get(override);
    if (known != null) {
      return known;
    }
    if (overrides.size() >= MAX_OVERRIDES) {
      throw new InvalidQueryException(
          "requests state too many different limits (limit); at most "
              + MAX_OVERRIDES
              + " are possible");
    }
    DescriptorLimit added =
        new DescriptorLimit(
            "limit " + override.requestsPerUnit() + "/" + override.unit().code(),
            "",
            override.unit(),
            override.requestsPerUnit(),
            Set.of(),
            DescriptorLimit.LimitMode.ENFORCE,
            OVERRIDE_KEYS,
            DescriptorLimit.MetricNaming.ALL_VALUES,
            null);
    List<DescriptorLimit> all = new ArrayList<>(overrides.values());
    all.add(added);
    replace(config, all);
    overrides.put(override, added);
    return added;
  }

  private static String metric(String domain, List<DescriptorEntry> entries) {
    StringBuilder name = new StringBuilder(domain);
    for (DescriptorEntry entry : entries) {
      name.append('.').append(entry.value().isEmpty() ? entry.key() : entry.composite());
    }
    return name.toString();
  }

  /** Returns a text that differs for different entries. */
  private static String text(List<DescriptorEntry> entries) {
    StringBuilder text = new StringBuilder();
    for (DescriptorEntry entry : entries) {
      text.append(text.length() == 0 ? "" : ",");
      escape(entry.key(), text);
      text.append('=');
      escape(entry.value(), text);
    }
    return text.toString();
  }

  private static void escape(String part, StringBuilder text) {
    for (int i = 0; i < part.length(); i++) {
      char c = part.charAt(i);
      if (c == '\\' || c == ',' || c == '=') {
        text.append('\\');
      }
      text.append(c);
    }
  }

  @Override
  public void close() {
    engine.close();
  }
}
