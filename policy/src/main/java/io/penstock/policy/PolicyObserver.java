package io.penstock.policy;

/** Observes the outcomes of rules, for metrics. Called on request threads, so it must not block. */
@FunctionalInterface
public interface PolicyObserver {
  /** Ignores all outcomes. */
  PolicyObserver NONE = outcome -> {};

  /** Called with the outcome of each rule that was evaluated for a request. */
  void decided(Outcome outcome);

  /**
   * Called if the outcome of a rule turns into a denial after it was reported: the request can't be
   * held back for the delay that the rule requires, or a listener denies it for a reason that rules
   * can't express.
   *
   * @param reported the outcome that {@link #decided} was called with; not an enforced denial
   * @param denial the enforced denial that replaces it
   */
  default void corrected(Outcome reported, Outcome denial) {}

  /**
   * Called if no rule applied to a request, for each rule that would have if the caller had
   * supplied its key.
   */
  default void skipped(SkippedRule skipped) {}
}
