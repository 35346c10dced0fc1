package io.penstock.server.proxy;

import io.penstock.server.http.HeaderNames;
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

  // In lower case, as HTTP/2 has them.
  private static final CharSequence FOR = HeaderNames.of("x-forwarded-for");
  private static final CharSequence PROTO = HeaderNames.of("x-forwarded-proto");
  private static final CharSequence HOST = HeaderNames.of("x-forwarded-host");
  private static final CharSequence PORT = HeaderNames.of("x-forwarded-port");
  private static final CharSequence FORWARDED = HeaderNames.of("forwarded");
  private static final CharSequence REAL_IP = HeaderNames.of("x-real-ip");
  private static final CharSequence REQUEST_ID = HeaderNames.of("x-request-id");
  static final CharSequence VIA = HeaderNames.of("via");

  private final boolean tellsForwarded;

  ForwardingHeaders(boolean tellsForwarded) {
    this.tellsForwarded = tellsForwarded;
  }

  /**
   * Sets them on a request to the origin, which has what the client sent. Returns the id of the
   * request.
   */
  String set(HttpServerRequest from, Exchange.Client client, MultiMap to) {
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
    String requestId = to.get(REQUEST_ID);
    if (requestId == null) {
      requestId = RequestIds.next();
      to.set(REQUEST_ID, requestId);
    }
    to.add(VIA, via(from));
    return requestId;
  }

  private static void append(MultiMap to, CharSequence name, String value, boolean trusted) {
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
