package io.penstock.policy;

/** Observes the outcomes of rules, for metrics. Called on request threads, so it must not block. */
@FunctionalInterface
public interface PolicyObserver {
  /** Ignores all outcomes. */
  PolicyObserver NONE = outcome -> {};

  /** Called with the outcome of each rule that was evaluated for a request. */
  void decided(Outcome outcome);

  /**
   * Called if a request that was reported as allowed after a delay is denied instead, because it
   * can't be held back. Called with the outcome of each rule that required the delay.
   */
  default void delayDenied(Outcome denial) {}

  /**
   * Called if no rule applied to a request, for each rule that would have if the caller had
   * supplied its key.
   */
  default void skipped(SkippedRule skipped) {}
}
