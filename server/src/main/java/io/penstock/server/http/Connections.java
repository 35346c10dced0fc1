package io.penstock.server.http;

import io.netty.channel.Channel;
import io.penstock.policy.address.IpAddress;
import io.penstock.server.log.RepeatedWarning;
import io.vertx.core.http.HttpConnection;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * The client connections of one listener. Limits their number, their number per address, and the
 * time to send the headers of a request. Thread-safe.
 *
 * <p>IPv6 addresses are counted by /64, because a subscriber has at least that many.
 */
public final class Connections {
  private static final long CLOSE_MILLIS = 1_000;

  private final RepeatedWarning warning =
      new RepeatedWarning(LoggerFactory.getLogger(Connections.class));
  private final String listener;
  private final ConnectionLimits limits;
  private final Predicate<IpAddress> exempt;
  private final AtomicInteger open = new AtomicInteger();
  private final Map<IpAddress, Integer> byAddress = new ConcurrentHashMap<>();
  private final LongAdder rejectedByListener = new LongAdder();
  private final LongAdder rejectedByAddress = new LongAdder();
  private final Set<Channel> servers = ConcurrentHashMap.newKeySet();
  private final Set<HttpConnection> http2 = ConcurrentHashMap.newKeySet();
  private volatile boolean draining;
  private boolean held;
  private volatile long lastRequestNanos;

  /**
   * The limits of a listener.
   *
   * @param max the max number of connections
   * @param maxPerAddress the max number of connections from one address
   * @param headTimeoutMillis the max time from the first byte of a request to the end of its
   *     headers
   */
  public record ConnectionLimits(int max, int maxPerAddress, long headTimeoutMillis) {}

  /** Why a connection is closed on arrival. */
  public enum ConnectionRejection {
    /** The listener has reached its limit. */
    LISTENER,
    /** The address has reached its limit. */
    ADDRESS;

    /** Returns the value of the metric label. */
    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * @param listener the name of the listener in the log
   * @param exempt addresses that only the limit of the listener applies to: proxies, which carry
   *     the connections of many clients
   */
  public Connections(String listener, ConnectionLimits limits, Predicate<IpAddress> exempt) {
    this.listener = listener;
    this.limits = limits;
    this.exempt = exempt;
  }

  /** Creates connections without a limit per address, for tests. */
  Connections(int max, long headTimeoutMillis) {
    this("test", new ConnectionLimits(max, max, headTimeoutMillis), address -> true);
  }

  /** Returns the number of open connections. */
  public int open() {
    return open.get();
  }

  /** Returns the number of connections that were closed on arrival. */
  public long rejected(ConnectionRejection reason) {
    return counter(reason).sum();
  }

  /** Returns the max time from the first byte of a request to the end of its headers. */
  long headTimeoutMillis() {
    return limits.headTimeoutMillis;
  }

  /** Makes connections wait in the backlog of the operating system until {@link #accept}. */
  public synchronized Connections hold() {
    held = true;
    return this;
  }

  /** Accepts the connections that wait, and all further ones. */
  public synchronized void accept() {
    held = false;
    servers.forEach(server -> server.config().setAutoRead(true));
  }

  /** Adds a server channel, to be closed by {@link #drain}. */
  synchronized void addServer(Channel server) {
    servers.add(server);
    if (held) {
      server.config().setAutoRead(false);
    }
  }

  /**
   * Stops accepting connections, and waits until the last one has been passed to its event loop:
   * Vert.x can't close a server quietly while a connection arrives. Must not be called on an event
   * loop.
   */
  public void stopAccepting() {
    servers.forEach(server -> server.close().awaitUninterruptibly(CLOSE_MILLIS));
  }

  /**
   * Stops accepting connections and drains the open ones: each is closed after the response to its
   * next request.
   */
  public void drain() {
    lastRequestNanos = System.nanoTime();
    draining = true;
    stopAccepting();
    // With the max stream id, requests that arrive later are still served.
    http2.forEach(connection -> connection.goAway(0, Integer.MAX_VALUE));
  }

  /** Returns whether no connections are left, or no request has arrived for a time. */
  public boolean isDrained(Duration idle) {
    return open.get() == 0 || System.nanoTime() - lastRequestNanos > idle.toNanos();
  }

  /** Returns whether each response is the last one of its connection. */
  boolean isDraining() {
    return draining;
  }

  void requestArrived() {
    lastRequestNanos = System.nanoTime();
  }

  /** Adds an HTTP/2 connection, which gets a GOAWAY when the listener drains. */
  void addHttp2(HttpConnection connection, Channel channel) {
    http2.add(connection);
    channel.closeFuture().addListener(closed -> http2.remove(connection));
    if (draining) {
      connection.goAway(0, Integer.MAX_VALUE);
    }
  }

  private LongAdder counter(ConnectionRejection reason) {
    return reason == ConnectionRejection.LISTENER ? rejectedByListener : rejectedByAddress;
  }

  /** Admits an accepted connection; returns false if a limit is reached. */
  boolean admit(Channel connection) {
    if (open.incrementAndGet() > limits.max) {
      open.decrementAndGet();
      reject(ConnectionRejection.LISTENER, limits.max + " connections are open (max_connections)");
      return false;
    }
    IpAddress address = counted(connection);
    if (address != null && byAddress.merge(address, 1, Integer::sum) > limits.maxPerAddress) {
      release(address);
      reject(
          ConnectionRejection.ADDRESS,
          "a client address has "
              + limits.maxPerAddress
              + " connections open (max_connections_per_address)");
      return false;
    }
    connection.closeFuture().addListener(closed -> release(address));
    return true;
  }

  private void release(@Nullable IpAddress address) {
    open.decrementAndGet();
    if (address != null) {
      byAddress.computeIfPresent(address, (same, count) -> count == 1 ? null : count - 1);
    }
  }

  private void reject(ConnectionRejection reason, String detail) {
    counter(reason).increment();
    warning.warn("the " + listener + " listener rejects connections: " + detail);
  }

  /** Returns the address that a connection is counted for; null if it is exempt. */
  private @Nullable IpAddress counted(Channel connection) {
    if (!(connection.remoteAddress() instanceof InetSocketAddress remote)
        || remote.getAddress() == null
        || remote.getAddress().isLoopbackAddress()) {
      return null;
    }
    IpAddress address = IpAddress.of(remote.getAddress());
    if (exempt.test(address)) {
      return null;
    }
    return address.isV4() ? address : new IpAddress(address.high(), 0);
  }
}
