package io.penstock.bench;

/** A command line that asks for nothing we know. */
final class WrongUsageException extends RuntimeException {
  private static final long serialVersionUID = 1;

  WrongUsageException(String message) {
    super(message);
  }
}
