package io.penstock.policy.cases;

import io.penstock.policy.load.Location;
import java.time.Duration;
import java.util.List;

/**
 * A request with an unexpected response. Immutable.
 *
 * @param location the location of the request
 * @param request the number of the request in its case, from 1
 * @param at the time since the start of the case
 * @param time the first of the {@code times} repetitions that failed, from 1
 * @param times how often the request is sent
 * @param failed how many of the {@code times} failed
 * @param mismatches the fields that differed the first time
 */
public record StepFailure(
    Location location,
    int request,
    Duration at,
    int time,
    int times,
    int failed,
    List<Mismatch> mismatches) {
  public StepFailure {
    mismatches = List.copyOf(mismatches);
  }
}
