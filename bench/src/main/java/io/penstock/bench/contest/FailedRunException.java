package io.penstock.bench.contest;

/** Thrown when the results of a run would be meaningless. */
public final class FailedRunException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public FailedRunException(String message) {
    super(message);
  }

  public FailedRunException(String message, Throwable cause) {
    super(message, cause);
  }
}
