package io.penstock.policy.cases;

import io.penstock.policy.load.Location;
import java.time.Duration;
import java.util.List;

/**
 * A request that was not answered as expected. Immutable.
 *
 * @param place where the request is written
 * @param request which of the case's, from 1
 * @param at the time since the case began
 * @param time which of the {@code times} it is sent failed first, from 1
 * @param times how often it is sent
 * @param failed how many of the {@code times} failed
 * @param mismatches what differed the first time
 */
public record StepFailure(
    Location place,
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
