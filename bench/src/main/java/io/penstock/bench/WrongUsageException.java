package io.penstock.bench;

/** Thrown for an invalid command line. */
final class WrongUsageException extends RuntimeException {
  private static final long serialVersionUID = 1;

  WrongUsageException(String message) {
    super(message);
  }
}
