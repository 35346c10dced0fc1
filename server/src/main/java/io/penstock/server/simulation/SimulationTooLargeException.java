package io.penstock.server.simulation;

/** Thrown if a simulation takes more decisions than allowed. */
public final class SimulationTooLargeException extends RuntimeException {
  private static final long serialVersionUID = 1;

  SimulationTooLargeException(long maxDecisions) {
    super("The simulation takes more than " + maxDecisions + " decisions");
  }
}
