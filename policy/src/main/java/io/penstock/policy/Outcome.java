package io.penstock.policy;

import io.penstock.Decision;

/**
 * What one rule says to a request. Immutable.
 *
 * @param rule the rule
 * @param mode {@link Mode#ENFORCE} if it had a say in the verdict, else {@link Mode#SHADOW}
 * @param key the bucket within the rule's group, private values hashed; empty for one bucket for
 *     all
 * @param cost what the request costs, in thousandths of a token
 * @param decision its answer; of several limits, with the figures of the one that matters
 */
public record Outcome(Rule rule, Mode mode, String key, long cost, Decision decision) {}
