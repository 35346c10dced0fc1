package io.penstock.policy;

/**
 * A manual rule to evaluate, and the request that states its key and cost.
 *
 * @param rule the name of a manual rule; one that doesn't exist or is off is ignored
 */
public record RuleCall(String rule, Request request) {}
