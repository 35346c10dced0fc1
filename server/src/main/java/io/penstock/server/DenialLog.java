package io.penstock.server;

import io.penstock.policy.Outcome;
import io.penstock.policy.Request;

/** Is told of requests that were denied. Called by event loops: must not block. */
@FunctionalInterface
public interface DenialLog {
  /** Nobody. */
  DenialLog NONE = (request, decisive) -> {};

  /** A request was denied, as {@code decisive} says. */
  void denied(Request request, Outcome decisive);
}
