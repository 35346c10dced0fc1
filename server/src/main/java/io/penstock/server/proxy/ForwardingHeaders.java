package io.penstock.server.proxy;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;

/**
 * Tells the origin whom a request is from and how it came. Thread-safe.
 *
 * <p>What a client says of these itself counts only if it is a proxy that is trusted: then its list
 * goes on, else it begins anew.
 */
final class ForwardingHeaders {
  private static final String FOR = "X-Forwarded-For";
  private static final String PROTO = "X-Forwarded-Proto";
  private static final String HOST = "X-Forwarded-Host";
  private static final String PORT = "X-Forwarded-Port";
  private static final String FORWARDED = "Forwarded";
  private static final String REAL_IP = "X-Real-IP";
  private static final String REQUEST_ID = "X-Request-Id";

  private ForwardingHeaders() {}

  /**
   * Sets them on a request to the origin.
   *
   * @param client the address that limits see
   * @param trusted whether the peer is a proxy whose word counts
   */
  static void set(
      HttpServerRequest from, String peer, String client, boolean trusted, MultiMap to) {
    String before = trusted ? String.join(", ", to.getAll(FOR)) : "";
    to.set(FOR, before.isEmpty() ? peer : before + ", " + peer);
    to.set(REAL_IP, client);
    to.remove(FORWARDED);
    if (!trusted || !to.contains(PROTO)) {
      to.set(PROTO, from.isSSL() ? "https" : "http");
    }
    String host = from.authority() == null ? null : from.authority().toString();
    if (host != null && (!trusted || !to.contains(HOST))) {
      to.set(HOST, host);
    }
    if (!trusted || !to.contains(PORT)) {
      to.set(PORT, Integer.toString(from.localAddress().port()));
    }
    if (!to.contains(REQUEST_ID)) {
      to.set(REQUEST_ID, RequestIds.next());
    }
    to.add("Via", via(from));
  }

  /** What a response says of having come through here. */
  static String via(HttpServerRequest request) {
    return switch (request.version()) {
      case HTTP_1_0 -> "1.0 penstock";
      case HTTP_1_1 -> "1.1 penstock";
      case HTTP_2 -> "2 penstock";
    };
  }
}
