package io.penstock.server.proxy;

import io.vertx.core.MultiMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Headers that are about a connection and not about a message: they end here. */
final class HopByHop {
  private static final Set<String> ALWAYS =
      Set.of(
          "connection",
          "keep-alive",
          "proxy-authenticate",
          "proxy-authorization",
          "proxy-connection",
          "te",
          "transfer-encoding",
          "upgrade",
          "http2-settings");

  private HopByHop() {}

  /** Copies what is about the message, but for what {@code from}'s Connection header names. */
  static void copyOthers(MultiMap from, MultiMap to) {
    Set<String> named = ListHeader.words(from, "connection");
    for (Map.Entry<String, String> header : from) {
      String name = header.getKey().toLowerCase(Locale.ROOT);
      if (!ALWAYS.contains(name) && !named.contains(name)) {
        to.add(header.getKey(), header.getValue());
      }
    }
    // The one thing that this header says to the other end: trailers are welcome. gRPC insists.
    if (ListHeader.has(from, "te", "trailers")) {
      to.set("te", "trailers");
    }
  }
}
