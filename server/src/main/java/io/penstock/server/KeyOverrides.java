package io.penstock.server;

import io.penstock.TokenBucket;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.RuleKey;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Overrides the limits of a rule for single keys in this process, for a limited time. Thread-safe.
 * Changes are logged with the key in its recorded form, in which private values are hashed.
 */
public final class KeyOverrides {
  private static final Logger LOG = LoggerFactory.getLogger(KeyOverrides.class);
  private static final int MAX = 1_000;

  private final Vertx vertx;
  private final PolicyEngine engine;
  private final Map<RuleKey, ExpiringOverride> active = new LinkedHashMap<>();

  /**
   * An active override.
   *
   * @param limit replaces all limits of the rule
   * @param until when the override expires
   */
  public record KeyOverride(RuleKey of, TokenBucket limit, Instant until) {}

  private record ExpiringOverride(KeyOverride override, long timer) {}

  public KeyOverrides(Vertx vertx, PolicyEngine engine) {
    this.vertx = vertx;
    this.engine = engine;
  }

  /** Returns the active overrides. */
  public synchronized List<KeyOverride> all() {
    return active.values().stream().map(ExpiringOverride::override).toList();
  }

  /** Returns the active override of a key. */
  public synchronized Optional<KeyOverride> find(RuleKey of) {
    return Optional.ofNullable(active.get(of)).map(ExpiringOverride::override);
  }

  /**
   * Overrides the limits of a rule for one key. An override that the key already has is replaced.
   *
   * @param by the name of the caller, for the log
   * @throws IllegalArgumentException if the store doesn't support the limit, or if too many keys
   *     have an override
   */
  public synchronized void override(RuleKey of, TokenBucket limit, Duration duration, String by) {
    if (!active.containsKey(of) && active.size() >= MAX) {
      throw new IllegalArgumentException(
          "at most " + MAX + " keys can have an override at a time; end another one first");
    }
    engine.override(of, limit);
    boolean replaced = remove(of);
    Instant until = Instant.now().plus(duration);
    active.put(
        of,
        new ExpiringOverride(
            new KeyOverride(of, limit, until),
            vertx.setTimer(Math.max(1, duration.toMillis()), id -> expire(of, id))));
    LOG.info(
        "limit of key {} of rule {} {}: {} until {}, by {}",
        of.key(),
        of.rule(),
        replaced ? "overridden again" : "overridden",
        limit,
        until,
        by);
  }

  /**
   * Ends the override of a key, if it has one.
   *
   * @param by the name of the caller, for the log
   */
  public synchronized void end(RuleKey of, String by) {
    if (remove(of)) {
      engine.override(of, null);
      LOG.info("override of key {} of rule {} ended by {}", of.key(), of.rule(), by);
    }
  }

  private synchronized void expire(RuleKey of, long id) {
    ExpiringOverride expiring = active.get(of);
    if (expiring != null && expiring.timer == id) {
      end(of, "expiry");
    }
  }

  private boolean remove(RuleKey of) {
    ExpiringOverride before = active.remove(of);
    if (before != null) {
      vertx.cancelTimer(before.timer);
    }
    return before != null;
  }
}
