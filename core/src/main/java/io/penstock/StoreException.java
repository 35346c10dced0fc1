package io.penstock;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a store operation fails: a charge, a refund or a reset, the creation of a store that
 * should fail fast, a call after the store was closed, or a decision that fails because of an error
 * in this process. While the store is unavailable, the failure policy decides instead.
 */
public final class StoreException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public StoreException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
