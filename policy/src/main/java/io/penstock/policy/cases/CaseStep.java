package io.penstock.policy.cases;

import io.penstock.policy.load.Location;
import io.penstock.policy.request.CheckRequest;
import java.time.Duration;

/**
 * A request of a case, or several equal ones at the same instant. Immutable.
 *
 * @param place where it is written
 * @param at the time since the case began
 * @param times how many requests, at least one
 */
record CaseStep(
    Location place, Duration at, CheckRequest question, int times, Expectation expectation) {}
