package io.penstock.server.database;

/** A rule is not as whoever wants to change it has seen it. */
public final class ConflictException extends RuntimeException {
  private static final long serialVersionUID = 1;

  ConflictException(String message) {
    super(message);
  }
}
