package io.penstock.redis;

import io.lettuce.core.RedisCommandExecutionException;
import java.util.concurrent.CompletionStage;

/** The route to the only server, which has all buckets. Immutable. */
record DirectRoute(Server server) implements Route {
  @Override
  public boolean isAvailable() {
    return server.health().isAvailable();
  }

  @Override
  public CompletionStage<long[]> call(Batch batch) {
    return server.call(batch, false);
  }

  @Override
  public boolean isRetryable(Throwable failure) {
    return false;
  }

  @Override
  public Throwable explain(Throwable failure) {
    return Redirection.isClusterError(failure)
        ? new RedisCommandExecutionException(
            "this Redis is part of a cluster, use redis-cluster:// to connect to it: "
                + failure.getMessage(),
            failure)
        : failure;
  }
}
