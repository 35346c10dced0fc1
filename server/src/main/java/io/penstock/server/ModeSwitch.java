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

/** Makes all rules bind, or none, for an emergency and for a time. Thread-safe. */
public final class ModeSwitch {
  private static final Logger LOG = LoggerFactory.getLogger(ModeSwitch.class);

  private final Vertx vertx;
  private final PolicyEngine engine;
  private @Nullable Forced forced;
  private long timer;

  /**
   * What all rules are now.
   *
   * @param until when that ends
   */
  public record Forced(Mode mode, Instant until) {}

  public ModeSwitch(Vertx vertx, PolicyEngine engine) {
    this.vertx = vertx;
    this.engine = engine;
  }

  /** What all rules are now; empty if they say so themselves. */
  public synchronized Optional<Forced> forced() {
    return Optional.ofNullable(forced);
  }

  /**
   * Makes all rules what {@code mode} says, until a time has passed.
   *
   * @param by who wants it, for the log
   */
  public synchronized void force(Mode mode, Duration time, String by) {
    end();
    forced = new Forced(mode, Instant.now().plus(time));
    engine.override(mode);
    timer = vertx.setTimer(Math.max(1, time.toMillis()), this::expire);
    LOG.warn("all rules are in mode {} until {}, set by {}", mode.code(), forced.until(), by);
  }

  /**
   * Lets rules say again whether they bind.
   *
   * @param by who wants it, for the log
   */
  public synchronized void clear(String by) {
    if (end()) {
      LOG.warn("rules are in their own modes again, set by {}", by);
    }
  }

  private synchronized void expire(long id) {
    if (id == timer) {
      clear("expiry");
    }
  }

  private boolean end() {
    if (forced == null) {
      return false;
    }
    vertx.cancelTimer(timer);
    forced = null;
    engine.override(null);
    return true;
  }
}
