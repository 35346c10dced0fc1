package io.penstock.server.proxy;

import io.penstock.server.http.HeaderNames;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

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

  /** The lengths of these names, a bit for each. */
  private static final long LENGTHS =
      ALWAYS.stream().mapToLong(name -> 1L << name.length()).reduce(0, (a, b) -> a | b);

  private static final Set<String> ALONE = Set.of("keep-alive", "close");

  private static final CharSequence TE = HeaderNames.of("te");

  private HopByHop() {}

  /** Copies what is about the message, but for what {@code from}'s Connection header names. */
  static void copyOthers(MultiMap from, MultiMap to) {
    copyOthers(from, to, name -> false);
  }

  /** The same, without some others. */
  static void copyOthers(MultiMap from, MultiMap to, Predicate<String> without) {
    Set<String> named = named(from);
    for (Map.Entry<String, String> header : from) {
      String name = header.getKey();
      if (!endsHere(name, named) && !without.test(name)) {
        to.add(name, header.getValue());
      }
    }
    // The one thing that this header says to the other end: trailers are welcome. gRPC insists.
    if (ListHeader.has(from, TE, "trailers")) {
      to.set(TE, "trailers");
    }
  }

  /** What the Connection header names; that of most messages says nothing but one of two words. */
  private static Set<String> named(MultiMap from) {
    List<String> said = from.getAll(HttpHeaders.CONNECTION);
    boolean usual = said.size() == 1 && ALONE.contains(said.get(0));
    return said.isEmpty() || usual ? Set.of() : ListHeader.words(from, HttpHeaders.CONNECTION);
  }

  private static boolean endsHere(String name, Set<String> named) {
    // Most names are no hop-by-hop header's by their length alone.
    boolean candidate = name.length() < Long.SIZE && ((LENGTHS >> name.length()) & 1) == 1;
    if (!candidate && named.isEmpty()) {
      return false;
    }
    String lower = name.toLowerCase(Locale.ROOT);
    return ALWAYS.contains(lower) || named.contains(lower);
  }
}
