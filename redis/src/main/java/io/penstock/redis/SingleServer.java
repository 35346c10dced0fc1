package io.penstock.redis;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A topology with one server that has all buckets. Thread-safe. */
final class SingleServer implements Topology {
  private final Server server;
  private final CallBatcher batcher;
  private final OutageReports outages;

  SingleServer(Server server, CallBatcher batcher, OutageReports outages) {
    this.server = server;
    this.batcher = batcher;
    this.outages = outages;
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
  public @Nullable RedisOutage outage() {
    return outages.current();
  }

  @Override
  public int estimatedWaitingCallers() {
    return batcher.requestsInFlight();
  }

  @Override
  public void start(Duration timeout) {
    server.health().start();
    outages.awaitStart(timeout);
  }

  @Override
  public void close() {
    var unused = server.close();
    outages.close();
  }
}
