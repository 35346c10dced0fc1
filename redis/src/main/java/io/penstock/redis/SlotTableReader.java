package io.penstock.redis;

import io.lettuce.core.api.StatefulRedisConnection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** Reads the slot tables of cluster nodes, on separate connections. Thread-safe. */
final class SlotTableReader {
  private final ClusterConnector connector;

  SlotTableReader(ClusterConnector connector) {
    this.connector = connector;
  }

  /** Returns the slot table of the first server that responds. Completes in bounded time. */
  CompletionStage<SlotTable> read(List<ServerAddress> servers) {
    if (servers.isEmpty()) {
      return CompletableFuture.failedStage(new ServerConnection.NotSent());
    }
    return read(servers.get(0))
        .exceptionallyCompose(
            failure ->
                servers.size() == 1
                    ? CompletableFuture.failedStage(failure)
                    : read(servers.subList(1, servers.size())));
  }

  private CompletionStage<SlotTable> read(ServerAddress server) {
    Connector serverConnector = connector.at(server);
    var attempt = serverConnector.connect().toCompletableFuture();
    var answer =
        attempt
            .thenCompose(connection -> connection.async().clusterSlots())
            .thenApply(slots -> SlotTable.read(slots, server))
            .copy()
            .orTimeout(serverConnector.timeoutMillis(), TimeUnit.MILLISECONDS)
            .exceptionallyCompose(
                failure ->
                    CompletableFuture.<SlotTable>failedFuture(
                        new ServerConnection.NotConnected(serverConnector, failure)));
    if (serverConnector.ownsConnections()) {
      var unused = answer.whenComplete((table, failure) -> close(attempt));
    }
    return answer;
  }

  /** Closes the connection, even if it is established later. */
  private static void close(CompletableFuture<StatefulRedisConnection<byte[], byte[]>> attempt) {
    var unused = attempt.thenCompose(StatefulRedisConnection::closeAsync);
  }
}
