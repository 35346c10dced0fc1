package io.penstock.policy;

/**
 * A manual rule to evaluate, and the request that states its key and cost.
 *
 * @param rule the name of a manual rule; one that doesn't exist or is off is ignored
 * @param alternative for a rule in shadow mode: whether it is one of several rules of which at
 *     least one has to allow the request
 */
public record RuleCall(String rule, Request request, boolean alternative) {
  public RuleCall(String rule, Request request) {
    this(rule, request, false);
  }
}
