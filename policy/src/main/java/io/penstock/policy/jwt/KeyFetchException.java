package io.penstock.policy.jwt;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A key set could not be fetched. */
final class KeyFetchException extends IOException {
  private static final long serialVersionUID = 1;

  private final KeyFailure why;

  KeyFetchException(KeyFailure why, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.why = why;
  }

  KeyFailure why() {
    return why;
  }
}
