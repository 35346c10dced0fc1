package io.penstock.server.proxy;

import io.penstock.server.http.HeaderNames;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Filters hop-by-hop headers, which apply to a connection and are not forwarded. */
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

  private static final String[] NO_NAMES = {};

  /** These names by their lengths, which alone rule out most other names. */
  private static final String[][] BY_LENGTH =
      IntStream.rangeClosed(0, ALWAYS.stream().mapToInt(String::length).max().orElse(0))
          .mapToObj(
              length ->
                  ALWAYS.stream().filter(name -> name.length() == length).toArray(String[]::new))
          .toArray(String[][]::new);

  private static final Set<String> CONNECTION_OPTIONS = Set.of("keep-alive", "close");

  private static final CharSequence TE = HeaderNames.of("te");

  /** Matches no header. */
  static final Predicate<String> NONE = name -> false;

  private HopByHop() {}

  /**
   * Copies the end-to-end headers, without those that the Connection header of {@code from} names.
   */
  static void copyOthers(MultiMap from, MultiMap to) {
    copyOthers(from, to, NONE);
  }

  /** Copies the end-to-end headers, without those that match {@code without}. */
  static void copyOthers(MultiMap from, MultiMap to, Predicate<String> without) {
    Set<String> named = named(from);
    for (Map.Entry<String, String> header : from) {
      String name = header.getKey();
      if (!isHopByHop(name, named) && !without.test(name)) {
        to.add(name, header.getValue());
      }
    }
    // The only part of TE that is forwarded: the client accepts trailers. gRPC requires it.
    if (ListHeader.has(from, TE, "trailers")) {
      to.set(TE, "trailers");
    }
  }

  /**
   * Returns the headers that a client removes by naming them in its Connection header. Rules must
   * not use them, because the origin doesn't receive them. Headers about the original sender stay:
   * a client behind a trusted proxy could remove those of the proxy. So does Upgrade, which is
   * forwarded for upgrades although Connection lists it.
   */
  static Set<String> removedByClient(MultiMap headers) {
    Set<String> named = named(headers);
    if (named.isEmpty()) {
      return named;
    }
    return named.stream()
        .filter(name -> !name.startsWith("x-forwarded-") && !name.equals("forwarded"))
        .filter(name -> !name.equals("upgrade"))
        .collect(Collectors.toUnmodifiableSet());
  }

  /**
   * Returns the names in the Connection header, which has only a standard option in most messages.
   */
  private static Set<String> named(MultiMap from) {
    List<String> values = from.getAll(HttpHeaders.CONNECTION);
    boolean isStandard = values.size() == 1 && CONNECTION_OPTIONS.contains(values.get(0));
    return values.isEmpty() || isStandard
        ? Set.of()
        : ListHeader.words(from, HttpHeaders.CONNECTION);
  }

  private static boolean isHopByHop(String name, Set<String> named) {
    return isAlways(name) || (!named.isEmpty() && named.contains(name.toLowerCase(Locale.ROOT)));
  }

  private static boolean isAlways(String name) {
    String[] candidates = name.length() < BY_LENGTH.length ? BY_LENGTH[name.length()] : NO_NAMES;
    for (String candidate : candidates) {
      if (candidate.equalsIgnoreCase(name)) {
        return true;
      }
    }
    return false;
  }
}
