/**
 * Limits written down as rules: what a rule says, which rules a request falls under, and the answer
 * to it.
 *
 * <p>Start at {@link io.penstock.policy.PolicyEngine}. Costs and levels are in thousandths of a
 * token, as in the core.
 */
@NullMarked
package io.penstock.policy;

import org.jspecify.annotations.NullMarked;
