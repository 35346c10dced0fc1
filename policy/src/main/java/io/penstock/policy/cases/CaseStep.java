package io.penstock.policy.cases;

import io.penstock.policy.load.Location;
import io.penstock.policy.request.CheckRequest;
import java.time.Duration;

/**
 * A request of a case, or several equal ones at the same instant. Immutable.
 *
 * @param location the location of the request
 * @param at the time since the start of the case
 * @param times how many requests are sent, at least one
 */
record CaseStep(
    Location location,
    Duration at,
    CheckRequest checkRequest,
    int times,
    Expectation expectation) {}
