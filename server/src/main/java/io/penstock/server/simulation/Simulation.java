package io.penstock.server.simulation;

import io.penstock.Decision;
import io.penstock.RateLimiter;
import io.penstock.inprocess.InProcessStore;
import io.penstock.server.simulation.SimulationResult.SimulatedPoint;
import io.penstock.testing.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Decides the requests of one key with the limiter that also decides real requests, on a clock that
 * jumps from one arrival to the next. Not thread-safe.
 */
public final class Simulation {
  /** The max number of points of a result. */
  public static final int MAX_POINTS = 600;

  /** The max number of decisions of a simulation. */
  public static final long MAX_DECISIONS = 2_000_000;

  private static final String KEY = "simulated";
  private static final int MAX_KEYS = 1_000;
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final SimulationInput input;
  private final long durationMillis;
  private final long stepMillis;
  private final ManualClock clock = new ManualClock();
  private final RateLimiter limiter;
  private final PriorityQueue<Arrival> queue =
      new PriorityQueue<>(Comparator.comparingLong(Arrival::atNanos));
  private final List<SimulatedPoint> points = new ArrayList<>();
  private long decisions;
  private long allowedInStep;
  private long deniedInStep;

  private Simulation(SimulationInput input) {
    this.input = input;
    this.durationMillis = input.duration().toMillis();
    this.stepMillis = (durationMillis + MAX_POINTS - 1) / MAX_POINTS;
    InProcessStore store = InProcessStore.builder().maxKeys(MAX_KEYS).clock(clock).build();
    this.limiter = RateLimiter.on(store, "simulation", input.limit());
    queue.addAll(input.arrivals());
  }

  /**
   * Runs a simulation.
   *
   * @throws SimulationTooLargeException if it takes more than {@link #MAX_DECISIONS}
   */
  public static SimulationResult run(SimulationInput input) {
    return new Simulation(input).run();
  }

  private SimulationResult run() {
    long endNanos = durationMillis * NANOS_PER_MILLI;
    for (Arrival next = queue.poll(); next != null; next = queue.poll()) {
      if (next.atNanos() >= endNanos) {
        break;
      }
      completeStepsBefore(next.atNanos());
      clock.set(next.atNanos());
      decide(next);
    }
    completeStepsBefore(Long.MAX_VALUE);
    return new SimulationResult(
        points.stream().mapToLong(SimulatedPoint::allowed).sum(),
        points.stream().mapToLong(SimulatedPoint::denied).sum(),
        Duration.ofMillis(stepMillis),
        points);
  }

  /** Adds the points of all steps that end at or before a time. */
  private void completeStepsBefore(long nanos) {
    while (points.size() * stepMillis < durationMillis) {
      long startMillis = points.size() * stepMillis;
      long endNanos = Math.min(durationMillis, startMillis + stepMillis) * NANOS_PER_MILLI;
      if (endNanos > nanos) {
        return;
      }
      clock.set(endNanos);
      double level = limiter.peek(KEY).remaining();
      points.add(new SimulatedPoint(startMillis, level, allowedInStep, deniedInStep));
      allowedInStep = 0;
      deniedInStep = 0;
    }
  }

  private void decide(Arrival arrival) {
    for (int decided = 0; decided < arrival.requests(); decided++) {
      if (++decisions > MAX_DECISIONS) {
        throw new SimulationTooLargeException(MAX_DECISIONS);
      }
      Decision decision = limiter.take(KEY, arrival.cost());
      if (!decision.allowed()) {
        // A denial changes nothing, so the others of the same time and cost are denied as well.
        deny(arrival, arrival.requests() - decided, decision);
        return;
      }
      allowedInStep++;
    }
  }

  private void deny(Arrival arrival, int requests, Decision denial) {
    deniedInStep += requests;
    if (input.retry().retries(denial)) {
      long atNanos = arrival.atNanos() + input.retry().waitNanos(denial);
      queue.add(new Arrival(atNanos, requests, arrival.cost()));
    }
  }
}
