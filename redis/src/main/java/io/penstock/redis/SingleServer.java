package io.penstock.redis;

import io.lettuce.core.RedisCommandExecutionException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** A topology with one server that has all buckets. Thread-safe. */
final class SingleServer implements Topology, Route {
  private final Server server;
  private final CallBatcher calls;

  SingleServer(Server server, Function<Route, CallBatcher> calls) {
    this.server = server;
    this.calls = calls.apply(this);
  }

  @Override
  public CallBatcher calls(BucketRequest part) {
    return calls;
  }

  @Override
  public List<List<BucketRequest>> groupByCall(List<BucketRequest> parts) {
    return List.of(parts);
  }

  @Override
  public boolean isAvailable() {
    return server.health().isAvailable();
  }

  @Override
  public String unavailableReason() {
    return isAvailable() ? "" : server.health().reason();
  }

  @Override
  public int requestsInFlight() {
    return calls.requestsInFlight();
  }

  @Override
  public void start(Duration timeout) {
    server.health().start();
    server.health().await(timeout);
  }

  @Override
  public boolean isOpen() {
    return server.health().isAvailable();
  }

  @Override
  public Server server() {
    return server;
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

  @Override
  public void close() {
    server.close();
  }
}
