package io.penstock.server.proxy;

import java.net.URI;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The one origin, and how to deal with it. Immutable.
 *
 * @param origin {@code http://} or {@code https://}, a host, and a port unless it is the usual one
 * @param http2 whether it is spoken to by HTTP/2
 * @param certificates a file in PEM of those who may sign its certificate; null for whom the JVM
 *     trusts
 * @param keepsHost whether it is told the host that the client asked for, or its own
 * @param tellsForwarded whether it is sent a {@code Forwarded} header too
 * @param passesUnderscores whether it is sent headers whose names have underscores and the like
 * @param connections the most connections to it
 * @param waiting how requests wait for one
 * @param slowClients when a client that reads slowly loses its response
 * @param connectTimeout how long a connection may take to come about
 * @param firstByteTimeout how long it may take to answer, once it has a request's headers
 * @param idleTimeout how long an exchange may stand still
 * @param totalTimeout how long an exchange may take; zero for as long as it likes
 */
public record Upstream(
    URI origin,
    boolean http2,
    @Nullable String certificates,
    boolean keepsHost,
    boolean tellsForwarded,
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

  /** How many streams a connection of HTTP/2 is reckoned to have. */
  private static final int STREAMS = 100;

  /**
   * How requests wait for a connection.
   *
   * @param queue the max number of requests that wait
   * @param timeout how long each of them waits
   * @param perClient how many exchanges a client may have at a time; 0 for half of what there is
   */
  public record QueueLimits(int queue, Duration timeout, int perClient) {}

  /**
   * When a client that reads slowly loses its response.
   *
   * @param stall how long it may hold up the origin by not reading
   * @param minRate how many bytes a second it must read on average while it holds up the origin
   */
  public record SlowClients(Duration stall, int minRate) {}

  public Upstream {
    String wrong = check(origin);
    if (wrong != null) {
      throw new IllegalArgumentException("upstream " + wrong + ": " + origin);
    }
  }

  /** What is wrong with the address of an origin; null if nothing. */
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
      return "must be a scheme, a host and a port, and nothing else";
    }
    return null;
  }

  /** How many exchanges there can be at a time, about. */
  int maxExchanges() {
    return http2 ? connections * STREAMS : connections;
  }

  /** How many of them a client may have. */
  int maxExchangesPerClient() {
    return waiting.perClient() > 0 ? waiting.perClient() : Math.max(1, maxExchanges() / 2);
  }

  ForwardingHeaders forwardingHeaders() {
    return tellsForwarded ? ForwardingHeaders.WITH_FORWARDED : ForwardingHeaders.USUAL;
  }

  /** Whether it is spoken to by TLS. */
  public boolean isSecure() {
    return "https".equals(origin.getScheme());
  }

  String host() {
    return origin.getHost();
  }

  int port() {
    return origin.getPort() >= 0 ? origin.getPort() : isSecure() ? HTTPS_PORT : HTTP_PORT;
  }

  /** The host as a request names it. */
  String authority() {
    return origin.getRawAuthority();
  }
}
