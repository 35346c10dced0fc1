/**
 * Rate limits by key: what a limit is, what a decision says, and the limiter that answers.
 *
 * <p>Start at {@link io.penstock.RateLimiter}. Costs and levels are counted in tokens; inside, in
 * whole thousandths of a token, so that no answer depends on floating point.
 */
@NullMarked
package io.penstock;

import org.jspecify.annotations.NullMarked;
