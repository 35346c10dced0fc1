package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.api.StatefulRedisConnection;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ServerConnectionTest {
  private final CompletableFuture<Void> connectionClosed = new CompletableFuture<>();
  private final AtomicInteger clientClosed = new AtomicInteger();

  /** A connection that can only be closed, slowly. */
  @SuppressWarnings("unchecked")
  private StatefulRedisConnection<byte[], byte[]> slowToClose() {
    return (StatefulRedisConnection<byte[], byte[]>)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {StatefulRedisConnection.class},
            (proxy, method, args) ->
                switch (method.getName()) {
                  case "closeAsync" -> connectionClosed;
                  case "isOpen" -> true;
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  private final class SlowConnector implements Connector {
    @Override
    public CompletionStage<StatefulRedisConnection<byte[], byte[]>> connect() {
      return CompletableFuture.completedFuture(slowToClose());
    }

    @Override
    public String address() {
      return "redis:6379";
    }

    @Override
    public boolean usesTls() {
      return false;
    }

    @Override
    public long timeoutMillis() {
      return 1_000;
    }

    @Override
    public boolean ownsConnections() {
      return true;
    }

    @Override
    public void close() {
      clientClosed.incrementAndGet();
    }
  }

  /** Lettuce warns that a connection is already closed if its client closes it again. */
  @Test
  void close_connected_closesTheClientAfterTheConnection() {
    ServerConnection connection =
        new ServerConnection(
            new SlowConnector(), Script.decide(), new EvictionWatch(RedisObserver.NONE));
    assertThat(connection.probe().toCompletableFuture()).isCompletedExceptionally();

    CompletableFuture<Void> closed = connection.close().toCompletableFuture();
    assertThat(clientClosed).hasValue(0);
    assertThat(closed).isNotDone();

    connectionClosed.complete(null);
    assertThat(clientClosed).hasValue(1);
    assertThat(closed).isCompleted();
  }

  @Test
  void close_notConnected_closesTheClient() {
    ServerConnection connection =
        new ServerConnection(
            new SlowConnector(), Script.decide(), new EvictionWatch(RedisObserver.NONE));

    assertThat(connection.close().toCompletableFuture()).isCompleted();
    assertThat(clientClosed).hasValue(1);
  }
}
