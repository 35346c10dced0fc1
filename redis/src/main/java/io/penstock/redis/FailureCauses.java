package io.penstock.redis;

import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;

/** Extracts causes from failures of asynchronous calls. */
final class FailureCauses {
  private FailureCauses() {}

  /**
   * Returns the failure without the wrapper that {@link java.util.concurrent.CompletionStage} adds.
   */
  static Throwable cause(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : null;
    return cause == null ? failure : cause;
  }

  /** Returns whether {@code failure} or one of its causes is of the given type. */
  static boolean contains(Throwable failure, Class<? extends Throwable> type) {
    return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
        .anyMatch(type::isInstance);
  }
}
