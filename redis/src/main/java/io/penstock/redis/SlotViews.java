package io.penstock.redis;

import io.lettuce.core.api.StatefulRedisConnection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** Asks servers of a cluster who has which slots, on connections of its own. Thread-safe. */
final class SlotViews {
  private final ClusterConnector connector;

  SlotViews(ClusterConnector connector) {
    this.connector = connector;
  }

  /** What the first of the servers says that says anything. Ends in bounded time. */
  CompletionStage<SlotTable> ask(List<ServerAddress> servers) {
    if (servers.isEmpty()) {
      return CompletableFuture.failedStage(new ServerConnection.NotSent());
    }
    return ask(servers.get(0))
        .exceptionallyCompose(failure -> ask(servers.subList(1, servers.size())));
  }

  private CompletionStage<SlotTable> ask(ServerAddress server) {
    Connector one = connector.at(server);
    var attempt = one.connect().toCompletableFuture();
    var answer =
        attempt
            .thenCompose(connection -> connection.async().clusterSlots())
            .thenApply(slots -> SlotTable.read(slots, server))
            .copy()
            .orTimeout(one.patienceMillis(), TimeUnit.MILLISECONDS);
    if (one.owns()) {
      var unused = answer.whenComplete((table, failure) -> close(attempt));
    }
    return answer;
  }

  /** However late it comes, it isn't needed any more. */
  private static void close(CompletableFuture<StatefulRedisConnection<byte[], byte[]>> attempt) {
    var unused = attempt.thenCompose(StatefulRedisConnection::closeAsync);
  }
}
