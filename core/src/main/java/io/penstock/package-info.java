/**
 * Rate limits by key: limits, decisions, and the limiter that makes them.
 *
 * <p>Start with {@link io.penstock.RateLimiter}. The API counts costs and levels in tokens.
 * Internally they are whole thousandths of a token, so that no decision depends on floating-point
 * arithmetic.
 */
@NullMarked
package io.penstock;

import org.jspecify.annotations.NullMarked;
