package io.penstock.redis;

import io.lettuce.core.RedisCommandExecutionException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** A server that has all buckets. Thread-safe. */
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
  public List<List<BucketRequest>> together(List<BucketRequest> parts) {
    return List.of(parts);
  }

  @Override
  public boolean isAvailable() {
    return server.health().isThere();
  }

  @Override
  public String unavailableReason() {
    return isAvailable() ? "" : server.health().reason();
  }

  @Override
  public int requestsUnderWay() {
    return calls.requestsUnderWay();
  }

  @Override
  public void begin(Duration most) {
    server.health().begin();
    server.health().await(most);
  }

  @Override
  public boolean isOpen() {
    return server.health().isThere();
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
  public boolean mayPassLater(Throwable failure) {
    return false;
  }

  @Override
  public Throwable explained(Throwable failure) {
    return Redirection.isOfCluster(failure)
        ? new RedisCommandExecutionException(
            "this Redis is part of a cluster, to be connected to by redis-cluster://: "
                + failure.getMessage(),
            failure)
        : failure;
  }

  @Override
  public void close() {
    server.close();
  }
}
