package io.penstock.server.simulation;

import io.penstock.TokenBucket;
import java.time.Duration;
import java.util.List;

/**
 * What to simulate: the requests of one key under one limit.
 *
 * @param arrivals in any order; those after the duration are ignored
 */
public record SimulationInput(
    TokenBucket limit, List<Arrival> arrivals, Duration duration, RetryBehavior retry) {
  public SimulationInput {
    arrivals = List.copyOf(arrivals);
  }
}
