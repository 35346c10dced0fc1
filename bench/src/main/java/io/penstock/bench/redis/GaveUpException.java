package io.penstock.bench.redis;

/** A request that was neither allowed nor denied. Has no stack trace: it may come often. */
final class GaveUpException extends Exception {
  private static final long serialVersionUID = 1;

  GaveUpException(String message) {
    super(message, null, false, false);
  }
}
