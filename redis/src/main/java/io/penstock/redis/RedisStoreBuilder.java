package io.penstock.redis;

import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** What a store can be told when it is made. Not thread-safe. */
public final class RedisStoreBuilder {
  private static final Script SCRIPT = Script.decide();
  private static final Duration MAX_DURATION = Duration.ofMinutes(1);

  private String keyPrefix = "penstock:";
  private Duration deadline = Duration.ofMillis(25);
  private Duration startTimeout = Duration.ofSeconds(1);
  private int nodes;
  private RedisObserver observer = RedisObserver.NONE;
  private boolean denialMemory = true;
  private Script script = SCRIPT;
  private LongSupplier denialClock = System::nanoTime;
  private Consumer<Batch> calls = call -> {};

  RedisStoreBuilder() {}

  /** What all keys in Redis begin with; {@code penstock:} unless set. */
  public RedisStoreBuilder keyPrefix(String keyPrefix) {
    this.keyPrefix = Objects.requireNonNull(keyPrefix, "keyPrefix");
    return this;
  }

  /** How long a decision may take before the failure policy decides; 25 ms unless set. */
  public RedisStoreBuilder deadline(Duration deadline) {
    this.deadline = positive("deadline", deadline);
    return this;
  }

  /**
   * How long to wait for Redis when the store is made; a second unless set. A Redis that is not
   * there by then is asked as soon as it is.
   */
  public RedisStoreBuilder startTimeout(Duration startTimeout) {
    this.startTimeout = positive("startTimeout", startTimeout);
    return this;
  }

  /**
   * How many nodes there are. Limiters that fall back to local buckets need to know: each node's
   * share is the limit divided by this.
   */
  public RedisStoreBuilder nodes(int nodes) {
    if (nodes < 1) {
      throw new IllegalArgumentException("nodes must be positive: " + nodes);
    }
    this.nodes = nodes;
    return this;
  }

  /** Who is told what goes on. */
  public RedisStoreBuilder observer(RedisObserver observer) {
    this.observer = Objects.requireNonNull(observer, "observer");
    return this;
  }

  /**
   * Whether a denial is remembered, for as long as it holds and for a second at most, so that who
   * asks again doesn't cost Redis a call; on unless set. What another node puts back meanwhile is
   * not seen until then.
   */
  public RedisStoreBuilder denialMemory(boolean on) {
    this.denialMemory = on;
    return this;
  }

  /** Another script, for tests whose time is not Redis's. */
  RedisStoreBuilder script(Script script) {
    this.script = script;
    return this;
  }

  /** Another time for what is remembered of denials, for the same tests. */
  RedisStoreBuilder denialClock(LongSupplier nanos) {
    this.denialClock = nanos;
    return this;
  }

  /** Who is shown every call before it is sent, one after the other. */
  RedisStoreBuilder calls(Consumer<Batch> calls) {
    this.calls = calls;
    return this;
  }

  /**
   * A store on connections of its own. The URL is one of Lettuce's, or {@code redis-cluster://}
   * (with TLS, {@code rediss-cluster://}) and some servers of a cluster: {@code
   * redis-cluster://user:password@host1:7000,host2:7000}.
   *
   * @throws IllegalArgumentException if it is no such URL
   */
  public RedisStore connect(String url) {
    return ClusterUrl.isOne(url)
        ? connectToCluster(ClusterUrl.servers(url))
        : connect(RedisURI.create(url));
  }

  /** A store on connections of its own, to one server or to that which sentinels name. */
  public RedisStore connect(RedisURI uri) {
    Connector connector = Connector.to(uri);
    return new RedisStore(this, making -> making.oneServer(connector));
  }

  /**
   * A store on connections of its own to a cluster.
   *
   * @param some servers that know the others; user, password and TLS are those of the first
   */
  public RedisStore connectToCluster(List<RedisURI> some) {
    if (some.isEmpty()) {
      throw new IllegalArgumentException("servers must not be empty: " + some);
    }
    ClusterConnector connector = ClusterConnector.to(List.copyOf(some));
    return new RedisStore(this, making -> making.cluster(connector));
  }

  /**
   * A store on a connection that the application has, and goes on owning. What becomes of a call
   * when the connection breaks is up to its options: one that is sent again after a reconnect may
   * be charged twice.
   */
  public RedisStore on(StatefulRedisConnection<byte[], byte[]> connection) {
    Connector connector = Connector.of(connection);
    return new RedisStore(this, making -> making.oneServer(connector));
  }

  /** As {@link #on(StatefulRedisConnection)}, for a connection to a cluster. */
  public RedisStore on(StatefulRedisClusterConnection<byte[], byte[]> connection) {
    ClusterConnector connector = ClusterConnector.of(connection);
    return new RedisStore(this, making -> making.cluster(connector));
  }

  /**
   * A store on connections of its own that a client of the application's makes. The supplier is
   * called whenever there is none, by a thread that may wait for it.
   */
  public RedisStore connect(Supplier<StatefulRedisConnection<byte[], byte[]>> connections) {
    Connector connector = Connector.by(connections);
    return new RedisStore(this, making -> making.oneServer(connector));
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

  int nodes() {
    return nodes;
  }

  RedisObserver observer() {
    return observer;
  }

  boolean denialMemory() {
    return denialMemory;
  }

  LongSupplier denialClock() {
    return denialClock;
  }

  Consumer<Batch> calls() {
    return calls;
  }

  Script script() {
    return script;
  }
}
