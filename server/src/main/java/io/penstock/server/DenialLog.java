package io.penstock.server;

import io.penstock.policy.Outcome;
import io.penstock.policy.Request;

/** Receives denied requests. Called on event loops, so implementations must not block. */
@FunctionalInterface
public interface DenialLog {
  /** Ignores all denials. */
  DenialLog NONE = (request, decisive) -> {};

  /** Reports a denied request and the outcome that was decisive. */
  void denied(Request request, Outcome decisive);
}
