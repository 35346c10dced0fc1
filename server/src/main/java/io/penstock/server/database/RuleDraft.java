package io.penstock.server.database;

import io.penstock.policy.load.Located;
import io.penstock.policy.load.Node;
import org.jspecify.annotations.Nullable;

/**
 * A rule that somebody wants to have in the database. Immutable.
 *
 * @param rule as policy files write it
 * @param tierOrder where it stands among others; null to leave it where it is
 * @param active whether it applies
 */
public record RuleDraft(Located<Node> rule, @Nullable Integer tierOrder, boolean active) {}
