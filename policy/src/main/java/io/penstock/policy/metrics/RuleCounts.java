package io.penstock.policy.metrics;

/**
 * The decisions of one rule since the start.
 *
 * @param rule the name, or {@link DecisionMeters#OTHER} for all rules without their own meters
 * @param allowed those that allowed the request, in any mode
 * @param denied those that denied it, in mode enforce
 * @param degraded those that a failure policy made; they are also counted by their outcome
 * @param shadowDenied those that would have denied it, in mode shadow
 */
public record RuleCounts(
    String rule, long allowed, long denied, long degraded, long shadowDenied) {}
