package io.penstock.bench.contest;

/** A run whose numbers would mean nothing. */
public final class FailedRunException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public FailedRunException(String message) {
    super(message);
  }

  public FailedRunException(String message, Throwable cause) {
    super(message, cause);
  }
}
