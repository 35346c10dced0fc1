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
 * Connections that the client of the application's connection factory makes. The factory is asked
 * for its client each time: once stopped and started again, it has another. Thread-safe.
 */
final class FactoryConnections implements Supplier<StatefulRedisConnection<byte[], byte[]>> {
  private static final Logger LOG = LoggerFactory.getLogger(FactoryConnections.class);

  private final LettuceConnectionFactory factory;
  private final AtomicBoolean warned = new AtomicBoolean();

  /**
   * @throws IllegalStateException if the factory runs, and is not for one server or for sentinels
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

  private RedisClient client() {
    if (!(factory.getRequiredNativeClient() instanceof RedisClient client) || !hasPlace(client)) {
      throw new IllegalStateException(
          "the Lettuce connection factory must be for one server or for sentinels; set"
              + " penstock.redis.url, or penstock.store=in-process");
    }
    if (mayReplay(client.getOptions()) && warned.compareAndSet(false, true)) {
      LOG.warn(
          "the application's Redis client sends calls again after a reconnect, so a request may be"
              + " charged twice when a connection breaks; penstock.redis.url has a client that"
              + " doesn't");
    }
    return client;
  }

  /**
   * Whether a client knows where to connect to: that for a primary with a list of replicas is told
   * anew each time. It can't be asked, but it looks at this before it looks for the codec.
   */
  private static boolean hasPlace(RedisClient client) {
    RedisCodec<byte[], byte[]> none = null;
    try {
      client.connect(none).close();
    } catch (IllegalStateException e) {
      return false;
    } catch (IllegalArgumentException e) {
      return true;
    }
    return true;
  }

  /** Whether calls that had no answer when a connection broke are sent again. */
  static boolean mayReplay(ClientOptions options) {
    return options.isAutoReconnect()
        && options.getReplayFilter() == ClientOptions.DEFAULT_REPLAY_FILTER;
  }
}
