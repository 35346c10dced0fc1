package io.penstock.redis;

import java.util.concurrent.CompletionException;

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
}
