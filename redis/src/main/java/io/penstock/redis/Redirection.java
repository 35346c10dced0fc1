package io.penstock.redis;

import io.lettuce.core.RedisCommandExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A redirection of a request to another server of a cluster, which has the slot. The redirecting
 * server has not executed the request, so it can safely be sent again.
 *
 * @param asking whether the redirection applies only to this request ({@code ASK}), because the
 *     slot is being migrated
 */
record Redirection(boolean asking, ServerAddress to) {
  private static final String MOVED = "MOVED ";
  private static final String ASK = "ASK ";
  private static final String TRY_AGAIN = "TRYAGAIN";
  private static final String NOT_SERVED = "CLUSTERDOWN Hash slot not served";
  private static final String CROSS_SLOT = "CROSSSLOT";

  /** Parses the redirection of a failure; null if it is none. */
  static @Nullable Redirection of(Throwable failure, ServerAddress source) {
    boolean asking = hasPrefix(failure, ASK);
    if (!asking && !hasPrefix(failure, MOVED)) {
      return null;
    }
    String[] words = message(failure).split(" ", -1);
    try {
      return new Redirection(asking, ServerAddress.parse(words[words.length - 1]).seenFrom(source));
    } catch (IllegalArgumentException unreadable) {
      return null;
    }
  }

  static boolean isRedirection(Throwable failure) {
    return hasPrefix(failure, MOVED) || hasPrefix(failure, ASK);
  }

  /** Whether the keys are split over two servers because the slot is being migrated. */
  static boolean isSplit(Throwable failure) {
    return hasPrefix(failure, TRY_AGAIN);
  }

  /** Whether no server has the slot. */
  static boolean isNotServed(Throwable failure) {
    return hasPrefix(failure, NOT_SERVED);
  }

  /** Whether the failure is about a slot, and does not affect the health of the server. */
  static boolean isSlotError(Throwable failure) {
    return isRedirection(failure) || isSplit(failure) || isNotServed(failure);
  }

  /** Whether only servers of a cluster report this failure. */
  static boolean isClusterError(Throwable failure) {
    return isSlotError(failure) || hasPrefix(failure, CROSS_SLOT);
  }

  private static boolean hasPrefix(Throwable failure, String prefix) {
    return failure instanceof RedisCommandExecutionException && message(failure).startsWith(prefix);
  }

  private static String message(Throwable failure) {
    String message = failure.getMessage();
    return message == null ? "" : message;
  }
}
