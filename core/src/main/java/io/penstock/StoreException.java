package io.penstock;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a store operation fails. Only charges, refunds and resets fail with it; if a decision
 * can't be made, the failure policy decides.
 */
public final class StoreException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public StoreException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
