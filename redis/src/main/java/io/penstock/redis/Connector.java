package io.penstock.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Where connections come from. Thread-safe. */
interface Connector {
  CompletionStage<StatefulRedisConnection<byte[], byte[]>> connect();

  /** Whether connections may be closed. */
  boolean owns();

  void close();

  /** New connections to a server, or to whichever server the sentinels name. */
  static Connector to(RedisURI uri, Duration connectTimeout) {
    RedisClient client = RedisClient.create();
    client.setOptions(
        ClientOptions.builder()
            // What was under way must fail, not be sent again: it may have been charged.
            .autoReconnect(false)
            .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
            .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())
            .socketOptions(
                SocketOptions.builder().connectTimeout(connectTimeout).keepAlive(true).build())
            .build());
    return new Connector() {
      @Override
      public CompletionStage<StatefulRedisConnection<byte[], byte[]>> connect() {
        return client.connectAsync(ByteArrayCodec.INSTANCE, uri);
      }

      @Override
      public boolean owns() {
        return true;
      }

      @Override
      public void close() {
        var unused = client.shutdownAsync();
      }
    };
  }

  /** A connection that belongs to somebody else. */
  static Connector of(StatefulRedisConnection<byte[], byte[]> connection) {
    return new Connector() {
      @Override
      public CompletionStage<StatefulRedisConnection<byte[], byte[]>> connect() {
        return CompletableFuture.completedFuture(connection);
      }

      @Override
      public boolean owns() {
        return false;
      }

      @Override
      public void close() {}
    };
  }
}
