package io.penstock.redis;

import io.lettuce.core.RedisCommandExecutionException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Extracts causes from failures of asynchronous calls. */
final class FailureCauses {
  private FailureCauses() {}

  private static final int MAX_REASON_LENGTH = 200;

  /** Describes in one line why Redis is unavailable; {@code failure} is null after a timeout. */
  static String reason(@Nullable Throwable failure) {
    if (failure == null || failure instanceof TimeoutException) {
      return "timed out";
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

  /**
   * Returns the failure without the wrapper that {@link java.util.concurrent.CompletionStage} adds.
   */
  static Throwable cause(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : null;
    return cause == null ? failure : cause;
  }
}
