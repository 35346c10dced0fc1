package io.penstock.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.resource.Transports.NativeTransports;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/** Where connections come from. Thread-safe. */
interface Connector {
  /** A server or a sentinel that takes longer to let us in is not there. */
  Duration STEP = Duration.ofMillis(500);

  CompletionStage<StatefulRedisConnection<byte[], byte[]>> connect();

  /** How long an attempt to connect may take. */
  long patienceMillis();

  /** Whether connections may be closed. */
  boolean owns();

  void close();

  /** New connections to a server, or to whichever server the sentinels name. */
  static Connector to(RedisURI uri) {
    if (uri.getSocket() != null && !NativeTransports.isDomainSocketSupported()) {
      throw new IllegalArgumentException(
          "redis-socket:// needs netty-transport-native-epoll (or kqueue) on the class path: "
              + uri);
    }
    RedisURI bounded = bounded(uri);
    RedisClient client = RedisClient.create();
    client.setOptions(options());
    return new Connector() {
      @Override
      public CompletionStage<StatefulRedisConnection<byte[], byte[]>> connect() {
        return client.connectAsync(ByteArrayCodec.INSTANCE, bounded);
      }

      @Override
      public long patienceMillis() {
        // Sentinels are asked one after another until one answers.
        return STEP.toMillis() * (1 + bounded.getSentinels().size());
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

  /** What was under way when a connection breaks fails. */
  static ClientOptions options() {
    return ClientOptions.builder()
        // It must not be sent again: it may have been charged.
        .autoReconnect(false)
        .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
        .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())
        .socketOptions(SocketOptions.builder().connectTimeout(STEP).keepAlive(true).build())
        .build();
  }

  /** The same place, where nothing takes longer than a step. */
  private static RedisURI bounded(RedisURI uri) {
    RedisURI.Builder copy = RedisURI.builder(uri).withTimeout(STEP);
    for (RedisURI sentinel : uri.getSentinels()) {
      copy.withSentinel(RedisURI.builder(sentinel).withTimeout(STEP).build());
    }
    if (uri.getSentinelMasterId() != null) {
      copy.withSentinelMasterId(uri.getSentinelMasterId());
    }
    return copy.build();
  }

  /** New connections that somebody else makes, one at a time and as slowly as he likes. */
  static Connector by(Supplier<StatefulRedisConnection<byte[], byte[]>> connections) {
    ExecutorService waiting = Executors.newSingleThreadExecutor(Connector::daemon);
    AtomicBoolean underWay = new AtomicBoolean();
    return new Connector() {
      @Override
      public CompletionStage<StatefulRedisConnection<byte[], byte[]>> connect() {
        if (!underWay.compareAndSet(false, true)) {
          return CompletableFuture.failedFuture(new ServerConnection.NotSent());
        }
        return CompletableFuture.supplyAsync(
            () -> {
              try {
                return connections.get();
              } finally {
                underWay.set(false);
              }
            },
            waiting);
      }

      @Override
      public long patienceMillis() {
        return STEP.toMillis();
      }

      @Override
      public boolean owns() {
        return true;
      }

      @Override
      public void close() {
        waiting.shutdown();
      }
    };
  }

  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(work, "penstock-redis-connect");
    thread.setDaemon(true);
    return thread;
  }

  /** A connection that belongs to somebody else. */
  static Connector of(StatefulRedisConnection<byte[], byte[]> connection) {
    return new Connector() {
      @Override
      public CompletionStage<StatefulRedisConnection<byte[], byte[]>> connect() {
        return connection.isOpen()
            ? CompletableFuture.completedFuture(connection)
            : CompletableFuture.failedFuture(new ServerConnection.NotSent());
      }

      @Override
      public long patienceMillis() {
        return STEP.toMillis();
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
