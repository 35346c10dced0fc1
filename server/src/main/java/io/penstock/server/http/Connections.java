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
 * The connections that clients have to one listener: no more than a given number, no more than a
 * given number from one address, and none that takes its time to say what it wants. Thread-safe.
 *
 * <p>Addresses of IPv6 count by their /64, because a subscriber has at least that many.
 */
public final class Connections {
  private final RepeatedWarning warning =
      new RepeatedWarning(LoggerFactory.getLogger(Connections.class));
  private final String listener;
  private final ConnectionLimits limits;
  private final Predicate<IpAddress> exempt;
  private final AtomicInteger open = new AtomicInteger();
  private final Map<IpAddress, Integer> byAddress = new ConcurrentHashMap<>();
  private final LongAdder refusedByListener = new LongAdder();
  private final LongAdder refusedByAddress = new LongAdder();
  private final Set<Channel> servers = ConcurrentHashMap.newKeySet();
  private final Set<HttpConnection> http2 = ConcurrentHashMap.newKeySet();
  private volatile boolean draining;
  private volatile long lastRequestNanos;

  /**
   * What a listener allows.
   *
   * @param max connections at a time
   * @param maxPerAddress of these, how many from one address
   * @param headMillis how long a request may take from its first byte to the end of its headers
   */
  public record ConnectionLimits(int max, int maxPerAddress, long headMillis) {}

  /** Why a connection is closed at once. */
  public enum Rejection {
    /** The listener has as many as it may. */
    LISTENER,
    /** Its address has. */
    ADDRESS;

    /** The name in a metric. */
    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * @param listener its name, for the log
   * @param exempt addresses that only the bound of the listener counts for: proxies, which bring
   *     the connections of many clients
   */
  public Connections(String listener, ConnectionLimits limits, Predicate<IpAddress> exempt) {
    this.listener = listener;
    this.limits = limits;
    this.exempt = exempt;
  }

  /** Without a bound for each address. */
  Connections(int max, long headMillis) {
    this("test", new ConnectionLimits(max, max, headMillis), address -> true);
  }

  /** How many there are now. */
  public int open() {
    return open.get();
  }

  /** How many were closed at once. */
  public long refused(Rejection reason) {
    return counter(reason).sum();
  }

  /** How long a request may take from its first byte to the end of its headers. */
  long headMillis() {
    return limits.headMillis;
  }

  /** Remembers a server that accepts. */
  void listens(Channel server) {
    servers.add(server);
  }

  /**
   * Accepts no more connections, and lets go of those that there are: each gets an answer to what
   * it asks next and is then closed.
   */
  public void drain() {
    lastRequestNanos = System.nanoTime();
    draining = true;
    for (Channel server : servers) {
      var unused = server.close();
    }
    // No number yet of the last stream that will be answered: all that come are.
    http2.forEach(connection -> connection.goAway(0, Integer.MAX_VALUE));
  }

  /** Whether there are none left, or no request has come for a time. */
  public boolean isDrained(Duration quiet) {
    return open.get() == 0 || System.nanoTime() - lastRequestNanos > quiet.toNanos();
  }

  /** Whether each answer is the last of its connection. */
  boolean isDraining() {
    return draining;
  }

  void requestCame() {
    lastRequestNanos = System.nanoTime();
  }

  /** Remembers a connection that has to be told when it should end. */
  void beginHttp2(HttpConnection connection, Channel channel) {
    http2.add(connection);
    channel.closeFuture().addListener(closed -> http2.remove(connection));
    if (draining) {
      connection.goAway(0, Integer.MAX_VALUE);
    }
  }

  private LongAdder counter(Rejection reason) {
    return reason == Rejection.LISTENER ? refusedByListener : refusedByAddress;
  }

  /** Takes a connection in that was just accepted; false if it is one too many. */
  boolean admit(Channel connection) {
    if (open.incrementAndGet() > limits.max) {
      open.decrementAndGet();
      refuse(Rejection.LISTENER, limits.max + " connections are open (max_connections)");
      return false;
    }
    IpAddress address = counted(connection);
    if (address != null && byAddress.merge(address, 1, Integer::sum) > limits.maxPerAddress) {
      release(address);
      refuse(
          Rejection.ADDRESS,
          "a client address has "
              + limits.maxPerAddress
              + " connections open (max_connections_per_address)");
      return false;
    }
    connection.closeFuture().addListener(closed -> release(address));
    connection.pipeline().addLast(new ConnectionGuard(this));
    return true;
  }

  private void release(@Nullable IpAddress address) {
    open.decrementAndGet();
    if (address != null) {
      byAddress.computeIfPresent(address, (same, count) -> count == 1 ? null : count - 1);
    }
  }

  private void refuse(Rejection reason, String why) {
    counter(reason).increment();
    warning.warn("the " + listener + " listener refuses connections: " + why);
  }

  /** The address that a connection is counted for; null if it is exempt. */
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
