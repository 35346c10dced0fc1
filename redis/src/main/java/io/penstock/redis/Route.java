package io.penstock.redis;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Where the calls for some buckets go. Thread-safe. */
interface Route {
  /** Whether the route leads to an available server, as far as is known. */
  boolean isAvailable();

  /** The server at the end of the route; null if there is none. */
  @Nullable Server server();

  /** Sends a call. */
  CompletionStage<long[]> call(Batch batch);

  /** Whether a call failed without any effect and may soon succeed. */
  boolean isRetryable(Throwable failure);

  /** The number of routes among which the keys of all requests are distributed. */
  default int parallelRoutes() {
    return 1;
  }

  /** Adds advice to the message of a failure, if there is any. */
  default Throwable explain(Throwable failure) {
    return failure;
  }
}
