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
import java.util.Comparator;
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
  /** The max number of different limits of requests that have a rule at the same time. */
  static final int MAX_OVERRIDES = 1_000;

  /** How many of them lose their rule at once: those that were not used for the longest time. */
  private static final int EVICTED = MAX_OVERRIDES / 8;

  private static final List<String> OVERRIDE_KEYS = List.of("domain", "descriptor");

  private final EnvoyOptions options;
  private final PolicyEngine engine;
  private final Map<LimitOverride, StatedLimit> overrides = new ConcurrentHashMap<>();
  private volatile EnvoyConfig config;
  private volatile boolean loaded;

  /** A limit that requests state, and when one did last. */
  private static final class StatedLimit {
    final DescriptorLimit limit;
    volatile long usedNanos = System.nanoTime();

    StatedLimit(DescriptorLimit limit) {
      this.limit = limit;
    }
  }

  /**
   * @throws PolicyException if the store doesn't support the limits
   */
  EnvoyLimits(EnvoyOptions options, EnvoyConfig initial, Store store, PolicyObserver observer) {
    this.options = options;
    this.config = initial;
    this.loaded = !initial.domains().isEmpty();
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

  /** Returns whether a configuration has been loaded. */
  boolean isLoaded() {
    return loaded;
  }

  /**
   * Replaces the configuration. What was consumed stays consumed.
   *
   * @throws PolicyException if the store doesn't support the limits; the old ones then stay active
   */
  synchronized void replace(EnvoyConfig next) {
    try {
      engine.replace(policy(next, overrides.values()));
    } catch (IllegalArgumentException unsupported) {
      throw rejected(unsupported);
    }
    // Only now: a limit must have its rule before it is matched.
    config = next;
    loaded = true;
  }

  private PolicyException rejected(IllegalArgumentException reason) {
    return new PolicyException(
        List.of(
            new Problem(
                Problem.Severity.ERROR,
                Location.of(options.source().toString()),
                "",
                String.valueOf(reason.getMessage()))));
  }

  private Policy policy(EnvoyConfig of, Collection<StatedLimit> stated) {
    List<Rule> rules = new ArrayList<>();
    for (DescriptorLimit limit : of.limits()) {
      if (!limit.isUnlimited()) {
        rules.add(rule(limit));
      }
    }
    stated.forEach(each -> rules.add(rule(each.limit)));
    return new Policy(
        rules,
        List.of(),
        options.shadow() ? Mode.SHADOW : Mode.ENFORCE,
        ClientAddress.PEER,
        JwtSettings.NONE,
        null);
  }

  private Rule rule(DescriptorLimit limit) {
    return limit.rule(options.algorithm(), options.quota());
  }

  /** Returns the limit that applies to a descriptor; empty for none. */
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
    StatedLimit known = overrides.get(override);
    if (known == null) {
      return add(override);
    }
    known.usedNanos = System.nanoTime();
    return known.limit;
  }

  private synchronized DescriptorLimit add(LimitOverride override) {
    StatedLimit known = overrides.get(override);
    if (known != null) {
      return known.limit;
    }
    if (overrides.size() >= MAX_OVERRIDES) {
      evict();
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
    engine.addManual(rule(added));
    overrides.put(override, new StatedLimit(added));
    return added;
  }

  private static String metric(String domain, List<DescriptorEntry> entries) {
    StringBuilder name = new StringBuilder(domain);
    for (DescriptorEntry entry : entries) {
      name.append('.').append(entry.value().isEmpty() ? entry.key() : entry.composite());
    }
    return name.toString();
  }

  private record LastUse(LimitOverride override, long ageNanos) {}

  /** Removes the rules of limits that are unused. The store keeps what was consumed. */
  private void evict() {
    long now = System.nanoTime();
    List<LastUse> uses = new ArrayList<>();
    overrides.forEach(
        (override, stated) -> uses.add(new LastUse(override, now - stated.usedNanos)));
    uses.sort(Comparator.comparingLong(LastUse::ageNanos).reversed());
    for (LastUse use : uses.subList(0, EVICTED)) {
      StatedLimit removed = overrides.remove(use.override);
      if (removed != null) {
        engine.removeManual(removed.limit.name());
      }
    }
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
