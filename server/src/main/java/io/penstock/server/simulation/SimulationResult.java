package io.penstock.server.simulation;

import java.time.Duration;
import java.util.List;

/**
 * How the requests of a simulation were decided, retries included.
 *
 * @param step the length of time that a point covers
 */
public record SimulationResult(
    long allowed, long denied, Duration step, List<SimulatedPoint> points) {
  /**
   * The decisions within one step.
   *
   * @param atMillis the start of the step
   * @param level the tokens in the bucket at the end of the step
   */
  public record SimulatedPoint(long atMillis, double level, long allowed, long denied) {}
}
