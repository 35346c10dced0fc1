package io.penstock.policy;

/**
 * A key of a rule. Immutable.
 *
 * @param rule the name of the rule
 * @param key the key as in {@link Outcome#key}
 */
public record RuleKey(String rule, String key) {}
