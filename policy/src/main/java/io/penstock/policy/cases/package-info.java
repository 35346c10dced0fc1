/**
 * Tests of policies: files with requests at virtual times and the expected responses.
 *
 * <p>Start with {@link io.penstock.policy.cases.PolicyCases}.
 */
@NullMarked
package io.penstock.policy.cases;

import org.jspecify.annotations.NullMarked;
