package io.penstock.policy.request;

import io.penstock.policy.ExplicitRequest;

/**
 * A request to check. Immutable.
 *
 * @param request the attributes of the request
 * @param dryRun whether to peek: to decide without charging
 */
public record CheckRequest(ExplicitRequest request, boolean dryRun) {}
