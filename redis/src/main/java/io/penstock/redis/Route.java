package io.penstock.redis;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The way that calls for some buckets go. Thread-safe. */
interface Route {
  /** Whether it leads anywhere at the moment, as far as is known. */
  boolean isOpen();

  /** The server at its end; null if there is none. */
  @Nullable Server server();

  /** Asks Redis to decide. */
  CompletionStage<long[]> call(Batch batch);

  /** Whether a call failed before anything was done, and may soon succeed. */
  boolean mayPassLater(Throwable failure);

  /** A failure in words that say what to do about it. */
  default Throwable explained(Throwable failure) {
    return failure;
  }
}
