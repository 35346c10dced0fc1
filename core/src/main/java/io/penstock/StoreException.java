package io.penstock;

import org.jspecify.annotations.Nullable;

/**
 * A store could not do what it was told. Decisions never end like this, because a failure policy
 * decides instead; charges, refunds and resets do.
 */
public final class StoreException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public StoreException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
