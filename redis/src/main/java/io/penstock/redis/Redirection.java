package io.penstock.redis;

import io.lettuce.core.RedisCommandExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Where a server of a cluster sends whoever asks it for a slot that it doesn't have. It has done
 * nothing then, so that the same may be asked there.
 *
 * @param asking whether only this once, because the slot is on its way
 */
record Redirection(boolean asking, ServerAddress to) {
  private static final String MOVED = "MOVED ";
  private static final String ASK = "ASK ";
  private static final String TRY_AGAIN = "TRYAGAIN";
  private static final String NOT_SERVED = "CLUSTERDOWN Hash slot not served";
  private static final String CROSS_SLOT = "CROSSSLOT";

  /** The redirection that a failure is; null if it is none. */
  static @Nullable Redirection of(Throwable failure, ServerAddress asked) {
    boolean asking = says(failure, ASK);
    if (!asking && !says(failure, MOVED)) {
      return null;
    }
    String[] words = message(failure).split(" ", -1);
    try {
      return new Redirection(asking, ServerAddress.parse(words[words.length - 1]).seenFrom(asked));
    } catch (IllegalArgumentException unreadable) {
      return null;
    }
  }

  static boolean isOne(Throwable failure) {
    return says(failure, MOVED) || says(failure, ASK);
  }

  /** Some of the keys are here and others elsewhere, while the slot is on its way. */
  static boolean isSplit(Throwable failure) {
    return says(failure, TRY_AGAIN);
  }

  /** Nobody has the slot. */
  static boolean isNotServed(Throwable failure) {
    return says(failure, NOT_SERVED);
  }

  /** It is about a slot, and says nothing of the server. */
  static boolean isOfSlot(Throwable failure) {
    return isOne(failure) || isSplit(failure) || isNotServed(failure);
  }

  /** Only servers of a cluster say so. */
  static boolean isOfCluster(Throwable failure) {
    return isOfSlot(failure) || says(failure, CROSS_SLOT);
  }

  private static boolean says(Throwable failure, String prefix) {
    return failure instanceof RedisCommandExecutionException && message(failure).startsWith(prefix);
  }

  private static String message(Throwable failure) {
    String message = failure.getMessage();
    return message == null ? "" : message;
  }
}
