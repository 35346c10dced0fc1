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
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Creates connections. Thread-safe. */
interface Connector {
  /** Timeout of a connection attempt to one server or sentinel. */
  Duration CONNECT_TIMEOUT = Duration.ofMillis(500);

  CompletionStage<StatefulRedisConnection<byte[], byte[]>> connect();

  /** The address for messages, without user and password; empty if it is unknown. */
  String address();

  /** Whether connections use TLS. */
  boolean usesTls();

  /** Timeout of {@link #connect}. */
  long timeoutMillis();

  /** Whether the store owns the connections and closes them. */
  boolean ownsConnections();

  void close();

  /** Creates new connections to a server, or to the primary that the sentinels name. */
  static Connector to(RedisURI uri, RedisTls tls) {
    if (uri.getSocket() != null && !NativeTransports.isDomainSocketSupported()) {
      throw new IllegalArgumentException(
          "redis-socket:// needs netty-transport-native-epoll (or kqueue) on the class path: "
              + uri);
    }
    RedisURI bounded = tls.applyTo(bounded(uri));
    RedisClient client = RedisClient.create();
    client.setOptions(tls.applyTo(options()));
    return new Connector() {
      @Override
      public CompletionStage<StatefulRedisConnection<byte[], byte[]>> connect() {
        return client.connectAsync(ByteArrayCodec.INSTANCE, bounded);
      }

      @Override
      public String address() {
        return addressOf(uri);
      }

      @Override
      public boolean usesTls() {
        return uri.isSsl();
      }

      @Override
      public long timeoutMillis() {
        // Sentinels are tried one after another.
        return CONNECT_TIMEOUT.toMillis() * (1 + bounded.getSentinels().size());
      }

      @Override
      public boolean ownsConnections() {
        return true;
      }

      @Override
      public void close() {
        var unused = client.shutdownAsync();
      }
    };
  }

  private static String addressOf(RedisURI uri) {
    if (uri.getSocket() != null) {
      return uri.getSocket();
    }
    return uri.getSentinels().isEmpty()
        ? uri.getHost() + ":" + uri.getPort()
        : uri.getSentinels().stream()
            .map(sentinel -> sentinel.getHost() + ":" + sentinel.getPort())
            .collect(Collectors.joining(","));
  }

  /** Options under which commands in flight fail when the connection breaks. */
  static ClientOptions options() {
    return ClientOptions.builder()
        // Commands must not be resent, because they may have been charged.
        .autoReconnect(false)
        .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
        .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())
        .socketOptions(
            SocketOptions.builder().connectTimeout(CONNECT_TIMEOUT).keepAlive(true).build())
        .build();
  }

  /** Returns a copy of {@code uri} with our timeout for the server and its sentinels. */
  private static RedisURI bounded(RedisURI uri) {
    RedisURI.Builder copy = RedisURI.builder(uri).withTimeout(CONNECT_TIMEOUT);
    for (RedisURI sentinel : uri.getSentinels()) {
      copy.withSentinel(RedisURI.builder(sentinel).withTimeout(CONNECT_TIMEOUT).build());
    }
    if (uri.getSentinelMasterId() != null) {
      copy.withSentinelMasterId(uri.getSentinelMasterId());
    }
    return copy.build();
  }

  /** Uses new connections from a supplier of the application, which may block; one at a time. */
  static Connector by(
      Supplier<StatefulRedisConnection<byte[], byte[]>> connections, String address) {
    ExecutorService waiting = Executors.newSingleThreadExecutor(Connector::daemon);
    AtomicBoolean connecting = new AtomicBoolean();
    return new Connector() {
      @Override
      public CompletionStage<StatefulRedisConnection<byte[], byte[]>> connect() {
        if (!connecting.compareAndSet(false, true)) {
          return CompletableFuture.failedFuture(
              new TimeoutException("the last attempt is still in progress"));
        }
        return CompletableFuture.supplyAsync(
            () -> {
              try {
                return connections.get();
              } finally {
                connecting.set(false);
              }
            },
            waiting);
      }

      @Override
      public String address() {
        return address;
      }

      @Override
      public boolean usesTls() {
        return false;
      }

      @Override
      public long timeoutMillis() {
        return CONNECT_TIMEOUT.toMillis();
      }

      @Override
      public boolean ownsConnections() {
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

  /** Uses a connection that belongs to the application. */
  static Connector of(StatefulRedisConnection<byte[], byte[]> connection) {
    return new Connector() {
      @Override
      public CompletionStage<StatefulRedisConnection<byte[], byte[]>> connect() {
        return connection.isOpen()
            ? CompletableFuture.completedFuture(connection)
            : CompletableFuture.failedFuture(new ServerConnection.NotSent());
      }

      @Override
      public String address() {
        return "";
      }

      @Override
      public boolean usesTls() {
        return false;
      }

      @Override
      public long timeoutMillis() {
        return CONNECT_TIMEOUT.toMillis();
      }

      @Override
      public boolean ownsConnections() {
        return false;
      }

      @Override
      public void close() {}
    };
  }
}
