package io.penstock.policy;

import io.penstock.Decision;

/**
 * The result of one rule for a request. Immutable.
 *
 * @param rule the rule
 * @param mode {@link Mode#ENFORCE} if the rule counted towards the verdict, else {@link
 *     Mode#SHADOW}
 * @param key the bucket within the rule's group, with private values hashed; empty if all requests
 *     share one bucket
 * @param costThousandths the cost of the request in thousandths of a token
 * @param decision the decision; if the rule has several limits, with the figures of the decisive
 *     one
 */
public record Outcome(Rule rule, Mode mode, String key, long costThousandths, Decision decision) {}
