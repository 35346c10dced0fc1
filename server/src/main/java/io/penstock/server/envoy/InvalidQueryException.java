package io.penstock.server.envoy;

/** A request that can't be decided because of its content. */
final class InvalidQueryException extends RuntimeException {
  private static final long serialVersionUID = 1;

  InvalidQueryException(String message) {
    super(message, null, false, false);
  }
}
