package io.penstock.server.proxy;

import java.net.URI;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The origin and the settings for reaching it. Immutable.
 *
 * @param origin {@code http://} or {@code https://}, a host, and a port unless it is the default
 *     one
 * @param http2 whether HTTP/2 is used
 * @param certificates a PEM file of the CAs that may sign the origin's certificate; null for the
 *     JVM's trust store
 * @param keepsHost whether the origin receives the client's Host header, or its own
 * @param sendsForwarded whether a {@code Forwarded} header is sent
 * @param passesUnderscores whether headers whose names contain underscores and similar characters
 *     are forwarded
 * @param connections the max number of connections
 * @param waiting how requests wait for a connection
 * @param slowClients when the response of a slow client is reset
 * @param connectTimeout the timeout for connecting
 * @param firstByteTimeout the timeout for the start of the response
 * @param idleTimeout the idle timeout of a connection, and of an exchange with a started response
 * @param totalTimeout the timeout of a whole exchange; zero for none
 */
public record Upstream(
    URI origin,
    boolean http2,
    @Nullable String certificates,
    boolean keepsHost,
    boolean sendsForwarded,
    boolean passesUnderscores,
    int connections,
    QueueLimits waiting,
    SlowClients slowClients,
    Duration connectTimeout,
    Duration firstByteTimeout,
    Duration idleTimeout,
    Duration totalTimeout) {
  private static final int HTTP_PORT = 80;
  private static final int HTTPS_PORT = 443;
  private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "::1", "[::1]");

  /** The assumed number of streams of an HTTP/2 connection. */
  private static final int STREAMS = 100;

  /**
   * How requests wait for a connection.
   *
   * @param queue the max number of waiting requests
   * @param timeout the max waiting time
   * @param perClient the max number of concurrent exchanges of a client; 0 means half of all
   */
  public record QueueLimits(int queue, Duration timeout, int perClient) {}

  /**
   * When the response of a slow client is reset.
   *
   * @param stall how long the client may block the origin without reading
   * @param minRate the min average rate in bytes per second while it blocks the origin
   */
  public record SlowClients(Duration stall, int minRate) {}

  public Upstream {
    String problem = check(origin);
    if (problem != null) {
      throw new IllegalArgumentException("upstream " + problem + ": " + origin);
    }
  }

  /** Returns what is wrong with the URL of an origin; null if it is valid. */
  public static @Nullable String check(URI origin) {
    String scheme = origin.getScheme();
    if (!"http".equals(scheme) && !"https".equals(scheme)) {
      return "must begin with http:// or https://";
    }
    if (origin.getHost() == null) {
      return "must have a host";
    }
    boolean hasPath = origin.getRawPath() != null && !origin.getRawPath().matches("/?");
    if (hasPath || origin.getRawQuery() != null || origin.getRawUserInfo() != null) {
      return "must consist of a scheme, a host and a port only";
    }
    return null;
  }

  /** Returns a copy with another origin, which is reached without HTTP/2 and TLS. */
  public Upstream at(URI other) {
    return new Upstream(
        other,
        false,
        null,
        keepsHost,
        sendsForwarded,
        passesUnderscores,
        connections,
        waiting,
        slowClients,
        connectTimeout,
        firstByteTimeout,
        idleTimeout,
        totalTimeout);
  }

  /** Returns the approximate max number of concurrent exchanges. */
  int maxExchanges() {
    return http2 ? connections * STREAMS : connections;
  }

  /** Returns the max number of concurrent exchanges of one client. */
  int maxExchangesPerClient() {
    return waiting.perClient() > 0 ? waiting.perClient() : Math.max(1, maxExchanges() / 2);
  }

  ForwardingHeaders forwardingHeaders() {
    return sendsForwarded ? ForwardingHeaders.WITH_FORWARDED : ForwardingHeaders.DEFAULT;
  }

  /** Returns whether TLS is used. */
  public boolean isSecure() {
    return "https".equals(origin.getScheme());
  }

  String host() {
    return origin.getHost();
  }

  int port() {
    return origin.getPort() >= 0 ? origin.getPort() : isSecure() ? HTTPS_PORT : HTTP_PORT;
  }

  /** Returns whether the origin is the listener at this host and port, as far as names show. */
  public boolean isAt(String listener, int listenerPort) {
    boolean isAny = listener.equals("0.0.0.0") || listener.equals("::");
    boolean isLocal = LOOPBACK.contains(host());
    return port() == listenerPort
        && (host().equals(listener)
            || (isLocal && (isAny || listener.equals("localhost")))
            || (host().equals("localhost") && LOOPBACK.contains(listener)));
  }

  /** Returns the value of the Host header. */
  String authority() {
    return origin.getRawAuthority();
  }
}
