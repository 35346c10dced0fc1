/**
 * Tests of policies: requests at virtual times and what is expected to come of them, from files.
 *
 * <p>Start at {@link io.penstock.policy.cases.PolicyCases}.
 */
@NullMarked
package io.penstock.policy.cases;

import org.jspecify.annotations.NullMarked;
