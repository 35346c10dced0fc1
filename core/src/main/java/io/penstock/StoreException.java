package io.penstock;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a store operation fails: a charge, a refund or a reset, or the creation of a store
 * that should fail fast. If a decision can't be made, the failure policy decides.
 */
public final class StoreException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public StoreException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
