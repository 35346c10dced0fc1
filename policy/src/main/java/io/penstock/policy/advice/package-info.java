/**
 * Suggests limits from an access log: for each key, the smallest burst that would have denied none
 * of its requests, at a range of rates.
 *
 * <p>Start with {@link io.penstock.policy.advice.Advisor}.
 */
@NullMarked
package io.penstock.policy.advice;

import org.jspecify.annotations.NullMarked;
