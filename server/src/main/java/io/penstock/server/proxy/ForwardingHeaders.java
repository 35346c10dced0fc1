package io.penstock.server.proxy;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import org.jspecify.annotations.Nullable;

/**
 * Tells the origin whom a request is from and how it came.
 *
 * <p>What a client says of these itself counts only if it is a proxy that is trusted: then its list
 * goes on, else it begins anew.
 */
enum ForwardingHeaders {
  USUAL(false),
  /** With {@code Forwarded}, which says the same in one header. */
  WITH_FORWARDED(true);

  private static final String FOR = "X-Forwarded-For";
  private static final String PROTO = "X-Forwarded-Proto";
  private static final String HOST = "X-Forwarded-Host";
  private static final String PORT = "X-Forwarded-Port";
  private static final String FORWARDED = "Forwarded";
  private static final String REAL_IP = "X-Real-IP";
  private static final String REQUEST_ID = "X-Request-Id";

  private final boolean tellsForwarded;

  ForwardingHeaders(boolean tellsForwarded) {
    this.tellsForwarded = tellsForwarded;
  }

  /** Sets them on a request to the origin, which has what the client sent. */
  void set(HttpServerRequest from, Exchange.Client client, MultiMap to) {
    boolean trusted = client.trusted();
    String peer = client.peer().toString();
    String proto = from.isSSL() ? "https" : "http";
    String host = from.authority() == null ? null : from.authority().toString();
    append(to, FOR, peer, trusted);
    to.set(REAL_IP, client.address());
    if (tellsForwarded) {
      append(to, FORWARDED, element(peer, proto, host), trusted);
    } else {
      to.remove(FORWARDED);
    }
    if (!trusted || !to.contains(PROTO)) {
      to.set(PROTO, proto);
    }
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

  private static void append(MultiMap to, String name, String value, boolean trusted) {
    String before = trusted ? String.join(", ", to.getAll(name)) : "";
    to.set(name, before.isEmpty() ? value : before + ", " + value);
  }

  /** One step of the way, as RFC 7239 has it: what is more than a word is quoted. */
  private static String element(String peer, String proto, @Nullable String host) {
    boolean isV6 = peer.indexOf(':') >= 0;
    String node = isV6 ? "\"[" + peer + "]\"" : peer;
    String rest = host == null ? "" : ";host=" + quoted(host);
    return "for=" + node + ";proto=" + proto + rest;
  }

  private static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
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
