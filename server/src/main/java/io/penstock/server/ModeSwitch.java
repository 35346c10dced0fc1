package io.penstock.server;

import io.penstock.policy.Mode;
import io.penstock.policy.PolicyEngine;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Overrides the mode of all rules for a limited time, for emergencies. Thread-safe. */
public final class ModeSwitch {
  private static final Logger LOG = LoggerFactory.getLogger(ModeSwitch.class);

  private final Vertx vertx;
  private final PolicyEngine engine;
  private @Nullable ModeOverride active;
  private long timer;

  /**
   * An active override.
   *
   * @param until when the override expires
   */
  public record ModeOverride(Mode mode, Instant until) {}

  public ModeSwitch(Vertx vertx, PolicyEngine engine) {
    this.vertx = vertx;
    this.engine = engine;
  }

  /** Returns the active override; empty if each rule uses its own mode. */
  public synchronized Optional<ModeOverride> active() {
    return Optional.ofNullable(active);
  }

  /**
   * Overrides the mode of all rules for a limited time.
   *
   * @param by the name of the caller, for the log
   */
  public synchronized void override(Mode mode, Duration duration, String by) {
    end();
    active = new ModeOverride(mode, Instant.now().plus(duration));
    engine.override(mode);
    timer = vertx.setTimer(Math.max(1, duration.toMillis()), this::expire);
    LOG.warn("mode of all rules overridden: {} until {}, by {}", mode.code(), active.until(), by);
  }

  /**
   * Ends the override, so that each rule uses its own mode again.
   *
   * @param by the name of the caller, for the log
   */
  public synchronized void clear(String by) {
    if (end()) {
      LOG.warn("rules use their own modes again; mode override ended by {}", by);
    }
  }

  private synchronized void expire(long id) {
    if (id == timer) {
      clear("expiry");
    }
  }

  private boolean end() {
    if (active == null) {
      return false;
    }
    vertx.cancelTimer(timer);
    active = null;
    engine.override(null);
    return true;
  }
}
