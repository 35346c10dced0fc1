package io.penstock.policy.jwt;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Thrown when a key set could not be fetched. */
final class KeyFetchException extends IOException {
  private static final long serialVersionUID = 1;

  private final KeyFailure failure;

  KeyFetchException(KeyFailure failure, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.failure = failure;
  }

  KeyFailure failure() {
    return failure;
  }
}
