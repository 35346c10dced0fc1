package io.penstock.redis;

import java.time.Duration;
import java.util.List;

/** A topology with one server that has all buckets. Thread-safe. */
final class SingleServer implements Topology {
  private final Server server;
  private final CallBatcher batcher;

  SingleServer(Server server, CallBatcher batcher) {
    this.server = server;
    this.batcher = batcher;
  }

  @Override
  public CallBatcher batcher(RedisClaim claim) {
    return batcher;
  }

  @Override
  public Server serverOf(String redisKey) {
    return server;
  }

  @Override
  public List<List<RedisClaim>> groupByCall(List<RedisClaim> claims) {
    return List.of(claims);
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
    return batcher.requestsInFlight();
  }

  @Override
  public void start(Duration timeout) {
    server.health().start();
    server.health().await(timeout);
  }

  @Override
  public void close() {
    server.close();
  }
}
