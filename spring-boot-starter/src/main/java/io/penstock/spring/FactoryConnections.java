package io.penstock.spring;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Opens connections with the client of the application's connection factory. Gets the client from
 * the factory each time, because a restarted factory has a new one. Thread-safe.
 */
final class FactoryConnections implements Supplier<StatefulRedisConnection<byte[], byte[]>> {
  private static final Logger LOG = LoggerFactory.getLogger(FactoryConnections.class);

  private final LettuceConnectionFactory factory;
  private final AtomicBoolean warned = new AtomicBoolean();

  /**
   * @throws IllegalStateException if the factory is running and connects neither to a single server
   *     nor through Sentinel
   */
  FactoryConnections(LettuceConnectionFactory factory) {
    this.factory = factory;
    if (factory.isRunning()) {
      var unused = client();
    }
  }

  @Override
  public StatefulRedisConnection<byte[], byte[]> get() {
    return client().connect(ByteArrayCodec.INSTANCE);
  }

  /** Returns the address of the server for messages; empty for sentinels and sockets. */
  String address() {
    return factory.isRedisSentinelAware() || factory.getSocketConfiguration() != null
        ? ""
        : factory.getHostName() + ":" + factory.getPort();
  }

  private RedisClient client() {
    if (!(factory.getRequiredNativeClient() instanceof RedisClient client) || !hasAddress(client)) {
      throw new IllegalStateException(
          "the Lettuce connection factory must be for a single server or Sentinel; set"
              + " penstock.redis.url or penstock.store=in-process");
    }
    if (mayReplay(client.getOptions()) && warned.compareAndSet(false, true)) {
      LOG.warn(
          "The application's Redis client resends calls after a reconnect, so a request may be"
              + " charged twice when a connection breaks; set penstock.redis.url to use a client that"
              + " never resends");
    }
    return client;
  }

  /**
   * Returns whether a client has an address of its own. The client for a primary with a list of
   * replicas has none; it receives an address with each call. There is no accessor, but {@code
   * connect} checks the address before the codec.
   */
  private static boolean hasAddress(RedisClient client) {
    RedisCodec<byte[], byte[]> noCodec = null;
    try {
      client.connect(noCodec).close();
    } catch (IllegalStateException e) {
      return false;
    } catch (IllegalArgumentException e) {
      return true;
    }
    return true;
  }

  /** Returns whether calls without a response are resent after a broken connection. */
  static boolean mayReplay(ClientOptions options) {
    return options.isAutoReconnect()
        && options.getReplayFilter() == ClientOptions.DEFAULT_REPLAY_FILTER;
  }
}
