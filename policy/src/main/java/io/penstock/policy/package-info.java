/**
 * Rate limits as policies: the rules, their selection for a request, and the resulting verdict.
 *
 * <p>Start with {@link io.penstock.policy.PolicyEngine}. Costs and levels are in thousandths of a
 * token, as in the core.
 */
@NullMarked
package io.penstock.policy;

import org.jspecify.annotations.NullMarked;
