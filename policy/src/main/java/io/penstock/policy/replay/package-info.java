/**
 * Runs an access log through a policy on a virtual clock, and reports which limits would have
 * denied which requests.
 *
 * <p>Start with {@link io.penstock.policy.replay.Replay}.
 */
@NullMarked
package io.penstock.policy.replay;

import org.jspecify.annotations.NullMarked;
