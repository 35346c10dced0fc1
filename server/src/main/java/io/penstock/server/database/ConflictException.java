package io.penstock.server.database;

/** Thrown if a rule has changed since the client read it, or exists already. */
public final class ConflictException extends RuntimeException {
  private static final long serialVersionUID = 1;

  ConflictException(String message) {
    super(message);
  }
}
