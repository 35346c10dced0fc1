package io.penstock.policy.http;

import io.penstock.policy.Outcome;
import io.penstock.policy.Request;
import io.penstock.policy.Verdict;
import java.util.List;

/**
 * Observes the decisions of a {@link Gate}, for metrics and logs. Called on the threads that decide
 * or that deliver decisions, so implementations must be thread-safe and must not block.
 */
public interface GateObserver {
  /** Ignores everything. */
  GateObserver NONE = new GateObserver() {};

  /**
   * A request was decided.
   *
   * @param nanos the duration of the decision, including the store
   */
  default void decided(Verdict verdict, long nanos) {}

  /**
   * A rule denied a request. Called after {@link #decided}, which may have reported a delay: a
   * request that can't be held back is denied instead.
   */
  default void denied(Request request, Outcome decisive) {}

  /** A rule in shadow mode would have denied a request, which was allowed. */
  default void shadowDenied(Request request, Outcome outcome) {}

  /** A request could not be decided because of an error; the client gets a response with 500. */
  default void undecided(Throwable failure) {}

  /** Charged tokens could not be refunded. They stay charged. */
  default void refundFailed(Throwable failure) {}

  /** Returns an observer that notifies all of {@code observers}, in order. */
  static GateObserver all(List<? extends GateObserver> observers) {
    List<GateObserver> each = List.copyOf(observers);
    return switch (each.size()) {
      case 0 -> NONE;
      case 1 -> each.get(0);
      default -> new GateObservers(each);
    };
  }
}
