package io.penstock.server;

import io.penstock.policy.Mode;
import io.penstock.policy.PolicyEngine;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Overrides the mode of all rules, for emergencies, or of single rules, for a limited time.
 * Thread-safe.
 */
public final class ModeSwitch {
  private static final Logger LOG = LoggerFactory.getLogger(ModeSwitch.class);

  private final Vertx vertx;
  private final PolicyEngine engine;
  private @Nullable TimedOverride active;
  private final Map<String, TimedOverride> rules = new TreeMap<>();

  /**
   * An active override.
   *
   * @param until when the override expires
   */
  public record ModeOverride(Mode mode, Instant until) {}

  private record TimedOverride(ModeOverride override, long timer) {}

  public ModeSwitch(Vertx vertx, PolicyEngine engine) {
    this.vertx = vertx;
    this.engine = engine;
  }

  /** Returns the active override of all rules; empty if each rule uses its own mode. */
  public synchronized Optional<ModeOverride> active() {
    return Optional.ofNullable(active).map(TimedOverride::override);
  }

  /** Returns the active overrides of single rules by name. */
  public synchronized Map<String, ModeOverride> rules() {
    Map<String, ModeOverride> overrides = new TreeMap<>();
    rules.forEach((rule, timed) -> overrides.put(rule, timed.override));
    return overrides;
  }

  /**
   * Overrides the mode of all rules for a limited time.
   *
   * @param by the name of the caller, for the log
   */
  public synchronized void override(Mode mode, Duration duration, String by) {
    end();
    active = timed(mode, duration, this::expire);
    engine.override(mode);
    LOG.warn(
        "mode of all rules overridden: {} until {}, by {}",
        mode.code(),
        active.override.until(),
        by);
  }

  /**
   * Overrides the mode of one rule for a limited time.
   *
   * @param by the name of the caller, for the log
   */
  public synchronized void override(String rule, Mode mode, Duration duration, String by) {
    end(rule);
    TimedOverride timed = timed(mode, duration, id -> expire(rule, id));
    rules.put(rule, timed);
    engine.override(rule, mode);
    LOG.warn(
        "mode of rule {} overridden: {} until {}, by {}",
        rule,
        mode.code(),
        timed.override.until(),
        by);
  }

  private TimedOverride timed(Mode mode, Duration duration, Handler<Long> expiry) {
    return new TimedOverride(
        new ModeOverride(mode, Instant.now().plus(duration)),
        vertx.setTimer(Math.max(1, duration.toMillis()), expiry));
  }

  /**
   * Ends the override of all rules, so that each rule uses its own mode again.
   *
   * @param by the name of the caller, for the log
   */
  public synchronized void clear(String by) {
    if (end()) {
      LOG.warn("rules use their own modes again; mode override ended by {}", by);
    }
  }

  /**
   * Ends the override of one rule.
   *
   * @param by the name of the caller, for the log
   */
  public synchronized void clear(String rule, String by) {
    if (end(rule)) {
      LOG.warn("rule {} uses its own mode again; mode override ended by {}", rule, by);
    }
  }

  private synchronized void expire(long id) {
    if (active != null && active.timer == id) {
      clear("expiry");
    }
  }

  private synchronized void expire(String rule, long id) {
    TimedOverride timed = rules.get(rule);
    if (timed != null && timed.timer == id) {
      clear(rule, "expiry");
    }
  }

  private boolean end() {
    if (active == null) {
      return false;
    }
    vertx.cancelTimer(active.timer);
    active = null;
    engine.override(null);
    return true;
  }

  private boolean end(String rule) {
    TimedOverride timed = rules.remove(rule);
    if (timed == null) {
      return false;
    }
    vertx.cancelTimer(timed.timer);
    engine.override(rule, null);
    return true;
  }
}
