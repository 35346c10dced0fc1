package io.penstock.server.database;

import io.penstock.policy.load.Located;
import io.penstock.policy.load.Node;
import org.jspecify.annotations.Nullable;

/**
 * A rule to be stored in the database. Immutable.
 *
 * @param rule the rule as in a policy file
 * @param tierOrder the position among the tiers; null to keep the current one
 * @param active whether the rule applies
 */
public record RuleDraft(Located<Node> rule, @Nullable Integer tierOrder, boolean active) {}
