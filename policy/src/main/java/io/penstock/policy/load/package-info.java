/**
 * Loads, checks and watches policies in files.
 *
 * <p>Start with {@link io.penstock.policy.load.PolicyLoader}. {@link
 * io.penstock.policy.load.RuleFields} declares all fields of a rule.
 */
@NullMarked
package io.penstock.policy.load;

import org.jspecify.annotations.NullMarked;
