package io.penstock.redis;

import java.util.concurrent.CompletionException;

/** What stages of a call make of a failure, undone. */
final class Failures {
  private Failures() {}

  /** The failure itself, without what it was wrapped into on its way. */
  static Throwable cause(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : null;
    return cause == null ? failure : cause;
  }
}
