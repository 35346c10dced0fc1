package io.penstock.redis;

import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.penstock.redis.metrics.OutageLog;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Options of a store. Not thread-safe. */
public final class RedisStoreBuilder {
  private static final Script SCRIPT = Script.decide();
  private static final Duration MAX_DURATION = Duration.ofMinutes(1);

  private String keyPrefix = "penstock:";
  private Duration deadline = Duration.ofMillis(25);
  private Duration startTimeout = Duration.ofSeconds(10);
  private boolean failFast;
  private int nodes;
  private RedisTls tls = RedisTls.DEFAULT;
  private @Nullable RedisObserver observer;
  private boolean denialMemory = true;
  private Script script = SCRIPT;
  private LongSupplier denialClock = System::nanoTime;
  private Consumer<Batch> callObserver = call -> {};

  RedisStoreBuilder() {}

  /** The prefix of all keys in Redis; {@code penstock:} by default. */
  public RedisStoreBuilder keyPrefix(String keyPrefix) {
    this.keyPrefix = Objects.requireNonNull(keyPrefix, "keyPrefix");
    return this;
  }

  /** How long a decision may take before the failure policy decides; 25 ms by default. */
  public RedisStoreBuilder deadline(Duration deadline) {
    this.deadline = positive("deadline", deadline);
    return this;
  }

  /**
   * How long to wait for Redis when the store is created; 10 seconds by default, because a client
   * in a cold JVM may take several seconds to connect. The wait ends when Redis is available, or
   * when two attempts in a row fail for the same reason that is not {@linkplain
   * UnavailableReason#isTemporary temporary}, such as a refused connection. The store then uses
   * Redis as soon as it is available.
   */
  public RedisStoreBuilder startTimeout(Duration startTimeout) {
    this.startTimeout = positive("startTimeout", startTimeout);
    return this;
  }

  /**
   * Whether to throw a {@link io.penstock.StoreException} with the reason if Redis is unavailable
   * when the store is created; off by default.
   */
  public RedisStoreBuilder failFast(boolean on) {
    this.failFast = on;
    return this;
  }

  /** The certificates of connections with TLS, which the URL requests. */
  public RedisStoreBuilder tls(RedisTls tls) {
    this.tls = Objects.requireNonNull(tls, "tls");
    return this;
  }

  /**
   * The number of nodes, by which the failure policy {@code LOCAL_SHARE} divides a limit. If it is
   * not set, the nodes register in Redis and count each other.
   */
  public RedisStoreBuilder nodes(int nodes) {
    if (nodes < 1) {
      throw new IllegalArgumentException("nodes must be positive: " + nodes);
    }
    this.nodes = nodes;
    return this;
  }

  /**
   * Receives the events of the store. By default, an {@link OutageLog} logs when Redis becomes
   * unavailable and when it recovers, if SLF4J is on the class path; {@link RedisObserver#NONE}
   * turns that off.
   */
  public RedisStoreBuilder observer(RedisObserver observer) {
    this.observer = Objects.requireNonNull(observer, "observer");
    return this;
  }

  /**
   * Whether to cache denials, for as long as they are valid but at most one second, so that retries
   * don't cost calls to Redis; on by default. Tokens that another node returns in the meantime have
   * no effect until then.
   */
  public RedisStoreBuilder denialMemory(boolean on) {
    this.denialMemory = on;
    return this;
  }

  /** Replaces the script, for tests with their own time. */
  RedisStoreBuilder script(Script script) {
    this.script = script;
    return this;
  }

  /** Replaces the clock of cached denials, for the same tests. */
  RedisStoreBuilder denialClock(LongSupplier nanos) {
    this.denialClock = nanos;
    return this;
  }

  /** Receives every call before it is sent, one at a time. */
  RedisStoreBuilder callObserver(Consumer<Batch> callObserver) {
    this.callObserver = callObserver;
    return this;
  }

  /**
   * Creates a store with its own connections. The URL is one that Lettuce supports, or {@code
   * redis-cluster://} (with TLS, {@code rediss-cluster://}) with some servers of a cluster: {@code
   * redis-cluster://user:password@host1:7000,host2:7000}.
   *
   * @throws IllegalArgumentException if the URL is invalid
   * @throws io.penstock.StoreException if Redis is unavailable, with {@link #failFast}
   */
  public RedisStore connect(String url) {
    return ClusterUrl.isClusterUrl(url)
        ? connectToCluster(ClusterUrl.servers(url))
        : connect(RedisStore.parse(url));
  }

  /**
   * Creates a store with its own connections, to one server or to the primary that sentinels name.
   */
  public RedisStore connect(RedisURI uri) {
    Connector connector = Connector.to(uri, tls);
    return new RedisStore(
        this, connector.address(), assembler -> assembler.singleServer(connector));
  }

  /**
   * Creates a store with its own connections to a cluster.
   *
   * @param seeds servers that know the others; user, password and TLS settings are those of the
   *     first
   */
  public RedisStore connectToCluster(List<RedisURI> seeds) {
    if (seeds.isEmpty()) {
      throw new IllegalArgumentException("seeds must not be empty: " + seeds);
    }
    ClusterConnector connector = ClusterConnector.to(List.copyOf(seeds), tls);
    return new RedisStore(this, addresses(connector), assembler -> assembler.cluster(connector));
  }

  /**
   * Creates a store on a connection that belongs to the application. The options of the connection
   * determine what happens to a call when the connection breaks: a call that is resent after a
   * reconnect may be charged twice.
   */
  public RedisStore on(StatefulRedisConnection<byte[], byte[]> connection) {
    Connector connector = Connector.of(connection);
    return new RedisStore(
        this, connector.address(), assembler -> assembler.singleServer(connector));
  }

  /** Like {@link #on(StatefulRedisConnection)}, for a connection to a cluster. */
  public RedisStore on(StatefulRedisClusterConnection<byte[], byte[]> connection) {
    ClusterConnector connector = ClusterConnector.of(connection);
    return new RedisStore(this, addresses(connector), assembler -> assembler.cluster(connector));
  }

  /**
   * Creates a store with its own connections, which the application supplies. The supplier is
   * called whenever there is no connection, on a thread that may block.
   */
  public RedisStore connect(Supplier<StatefulRedisConnection<byte[], byte[]>> connections) {
    return connect(connections, "");
  }

  /**
   * Like {@link #connect(Supplier)}.
   *
   * @param address the address of the server for messages, such as {@code redis:6379}
   */
  public RedisStore connect(
      Supplier<StatefulRedisConnection<byte[], byte[]>> connections, String address) {
    Connector connector = Connector.by(connections, address);
    return new RedisStore(
        this, connector.address(), assembler -> assembler.singleServer(connector));
  }

  private static String addresses(ClusterConnector connector) {
    return connector.seeds().stream().map(ServerAddress::toString).collect(Collectors.joining(","));
  }

  private static Duration positive(String name, Duration duration) {
    if (duration.isNegative() || duration.isZero() || duration.compareTo(MAX_DURATION) > 0) {
      throw new IllegalArgumentException(
          name + " must be positive and at most " + MAX_DURATION + ": " + duration);
    }
    return duration;
  }

  String keyPrefix() {
    return keyPrefix;
  }

  Duration deadline() {
    return deadline;
  }

  Duration startTimeout() {
    return startTimeout;
  }

  boolean failFast() {
    return failFast;
  }

  int nodes() {
    return nodes;
  }

  RedisObserver observer() {
    return observer == null ? outageLog() : observer;
  }

  /** Each store has its own, because it tracks the state of one. SLF4J is optional. */
  private static RedisObserver outageLog() {
    try {
      return new OutageLog();
    } catch (NoClassDefFoundError withoutSlf4j) {
      return RedisObserver.NONE;
    }
  }

  boolean denialMemory() {
    return denialMemory;
  }

  LongSupplier denialClock() {
    return denialClock;
  }

  Consumer<Batch> callObserver() {
    return callObserver;
  }

  Script script() {
    return script;
  }
}
