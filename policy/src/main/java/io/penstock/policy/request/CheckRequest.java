package io.penstock.policy.request;

import io.penstock.policy.ExplicitRequest;

/**
 * A request that somebody asks about. Immutable.
 *
 * @param request what is known of it
 * @param dryRun whether to say only what would be decided, and charge nothing
 */
public record CheckRequest(ExplicitRequest request, boolean dryRun) {}
