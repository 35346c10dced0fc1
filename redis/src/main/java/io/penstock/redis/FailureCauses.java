package io.penstock.redis;

import io.lettuce.core.RedisCommandExecutionException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** What stages of a call make of a failure, undone. */
final class FailureCauses {
  private FailureCauses() {}

  private static final int MAX_REASON_LENGTH = 200;

  /** Why Redis can't be asked, in a line; there is no failure if it doesn't answer in time. */
  static String reason(@Nullable Throwable failure) {
    if (failure == null || failure instanceof TimeoutException) {
      return "no answer in time";
    }
    Throwable root = failure;
    while (root.getCause() != null && !(root instanceof RedisCommandExecutionException)) {
      root = root.getCause();
    }
    String message =
        root.getMessage() == null ? root.getClass().getSimpleName() : root.getMessage();
    String line = message.lines().findFirst().orElse("");
    return line.substring(0, Math.min(line.length(), MAX_REASON_LENGTH));
  }

  /** The failure itself, without what it was wrapped into on its way. */
  static Throwable cause(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : null;
    return cause == null ? failure : cause;
  }
}
