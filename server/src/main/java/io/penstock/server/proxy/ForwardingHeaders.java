package io.penstock.server.proxy;

import io.penstock.server.http.HeaderNames;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Sets the headers that describe the client of a request, and its scheme and host, to the origin.
 *
 * <p>The client's own values are kept only if it is a trusted proxy: then the address is appended
 * to its list, otherwise a new list is started.
 */
enum ForwardingHeaders {
  DEFAULT(false),
  /** Also sets {@code Forwarded}, which contains the same information in one header. */
  WITH_FORWARDED(true);

  // Lower case, as in HTTP/2.
  private static final CharSequence FOR = HeaderNames.of("x-forwarded-for");
  private static final CharSequence PROTO = HeaderNames.of("x-forwarded-proto");
  private static final CharSequence HOST = HeaderNames.of("x-forwarded-host");
  private static final CharSequence PORT = HeaderNames.of("x-forwarded-port");
  private static final CharSequence FORWARDED = HeaderNames.of("forwarded");
  private static final CharSequence REAL_IP = HeaderNames.of("x-real-ip");
  private static final CharSequence REQUEST_ID = HeaderNames.of("x-request-id");
  static final CharSequence VIA = HeaderNames.of("via");

  private final boolean sendsForwarded;

  ForwardingHeaders(boolean sendsForwarded) {
    this.sendsForwarded = sendsForwarded;
  }

  /**
   * Sets the headers of a request to the origin, which already has those of the client. Returns the
   * request id.
   *
   * @param host the host that the client requested
   */
  String set(
      HttpServerRequest from, @Nullable String host, Exchange.ExchangeClient client, MultiMap to) {
    boolean trusted = client.trusted();
    String peer = client.peer();
    String proto = from.isSSL() ? "https" : "http";
    append(to, FOR, peer, trusted);
    to.set(REAL_IP, client.address());
    if (sendsForwarded) {
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
      requestId = newRequestId();
      to.set(REQUEST_ID, requestId);
    }
    to.add(VIA, via(from));
    return requestId;
  }

  /**
   * Returns the value that {@link #set} gives a header of a request from an untrusted client.
   *
   * @param name in lower case
   * @return null if it sets none, or one that rules have no use for
   */
  static @Nullable String valueOf(String name, HttpServerRequest from, String peer) {
    return switch (name) {
      case "x-forwarded-for", "x-real-ip" -> peer;
      case "x-forwarded-proto" -> from.isSSL() ? "https" : "http";
      case "x-forwarded-host" -> from.authority() == null ? null : from.authority().toString();
      case "x-forwarded-port" -> Integer.toString(from.localAddress().port());
      default -> null;
    };
  }

  /** Returns a unique id of 128 random bits, which are not cryptographically secure. */
  private static String newRequestId() {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    ByteBuffer id = ByteBuffer.allocate(2 * Long.BYTES);
    id.putLong(random.nextLong()).putLong(random.nextLong());
    return HexFormat.of().formatHex(id.array());
  }

  private static void append(MultiMap to, CharSequence name, String value, boolean trusted) {
    String before = trusted ? String.join(", ", to.getAll(name)) : "";
    to.set(name, before.isEmpty() ? value : before + ", " + value);
  }

  /** Formats one element of {@code Forwarded} (RFC 7239); values that are not tokens are quoted. */
  private static String element(String peer, String proto, @Nullable String host) {
    boolean isV6 = peer.indexOf(':') >= 0;
    String node = isV6 ? "\"[" + peer + "]\"" : peer;
    String rest = host == null ? "" : ";host=" + quoted(host);
    return "for=" + node + ";proto=" + proto + rest;
  }

  private static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  /** Returns the value of the {@code Via} header. */
  static String via(HttpServerRequest request) {
    return switch (request.version()) {
      case HTTP_1_0 -> "1.0 penstock";
      case HTTP_1_1 -> "1.1 penstock";
      case HTTP_2 -> "2 penstock";
    };
  }
}
