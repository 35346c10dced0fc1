package io.penstock.bench.redis;

/**
 * Thrown when a request is neither allowed nor denied. Has no stack trace, because it may be
 * frequent.
 */
final class GaveUpException extends Exception {
  private static final long serialVersionUID = 1;

  GaveUpException(String message) {
    super(message, null, false, false);
  }
}
