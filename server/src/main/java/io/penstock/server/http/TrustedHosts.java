package io.penstock.server.http;

import io.penstock.policy.address.IpAddress;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.HostAndPort;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Protects a listener without tokens from web pages in a browser on the same machine. Immutable.
 *
 * <p>A page can make a browser send requests to any address. It can read the responses if its own
 * host name resolves to the address of the listener (DNS rebinding). The {@code Host} of such a
 * request is the name of the page, so only known hosts are accepted. Browsers mark requests from
 * pages of other origins, which are rejected as well.
 */
public final class TrustedHosts {
  private static final Set<String> FOREIGN_SITES = Set.of("cross-site", "same-site");

  private final Set<String> names = new HashSet<>();

  /**
   * @param bound the address that the listener is bound to
   * @param more further names and addresses of the listener
   */
  public TrustedHosts(String bound, List<String> more) {
    names.add("localhost");
    names.add(canonical(bound));
    more.forEach(name -> names.add(canonical(name)));
  }

  /** Returns whether a request is accepted; if not, responds with an error. */
  public boolean admits(HttpServerRequest request) {
    // Browsers always send a host. Probes that use HTTP/1.0 may not.
    HostAndPort authority = request.authority();
    String sent = authority == null ? request.getHeader("Host") : authority.host();
    boolean severalHosts = request.headers().getAll("Host").size() > 1;
    if (severalHosts || (sent != null && !isTrusted(sent)) || !isTrustedTarget(request.uri())) {
      ProblemResponses.end(
          request.response(),
          421,
          "Misdirected Request",
          "Unknown host: without a token, this listener only accepts loopback names, its own"
              + " address and those of the setting admin_hosts");
      return false;
    }
    if (isFromForeignPage(request, authority)) {
      ProblemResponses.end(
          request.response(), 403, "Forbidden", "Web pages of other origins need a token here");
      return false;
    }
    return true;
  }

  /**
   * Returns whether the host of an absolute target is trusted; it takes precedence over the header.
   */
  private boolean isTrustedTarget(String target) {
    if (target.startsWith("/") || target.equals("*")) {
      return true;
    }
    try {
      String host = new URI(target).getHost();
      return host != null && isTrusted(host);
    } catch (URISyntaxException e) {
      return false;
    }
  }

  private boolean isTrusted(String host) {
    String canonical = canonical(host);
    if (names.contains(canonical) || canonical.endsWith(".localhost")) {
      return true;
    }
    IpAddress address = IpAddress.parse(canonical);
    return address != null && isLoopback(address);
  }

  private static boolean isLoopback(IpAddress address) {
    return address.isV4()
        ? address.toString().startsWith("127.")
        : address.high() == 0 && address.low() == 1;
  }

  private static boolean isFromForeignPage(
      HttpServerRequest request, @Nullable HostAndPort authority) {
    String origin = request.getHeader("Origin");
    if (origin != null && !isSameOrigin(origin, authority)) {
      return true;
    }
    String site = request.getHeader("Sec-Fetch-Site");
    // Following a link to the listener is allowed: the other page can't read the response.
    boolean followsLink =
        request.method().equals(HttpMethod.GET)
            && "navigate".equals(request.getHeader("Sec-Fetch-Mode"));
    return site != null && FOREIGN_SITES.contains(site) && !followsLink;
  }

  /** Returns whether a request was sent by a page that this listener served itself: the console. */
  static boolean isFromOwnPage(HttpServerRequest request) {
    String origin = request.getHeader("Origin");
    String site = request.getHeader("Sec-Fetch-Site");
    return origin != null
        && isSameOrigin(origin, request.authority())
        && (site == null || site.equals("same-origin"));
  }

  private static boolean isSameOrigin(String origin, @Nullable HostAndPort authority) {
    return authority != null
        && (origin.equalsIgnoreCase("http://" + authority)
            || origin.equalsIgnoreCase("https://" + authority));
  }

  /** Normalizes a name or address: lower case, no trailing dot, no brackets. */
  private static String canonical(String host) {
    String name = host.toLowerCase(Locale.ROOT);
    if (name.endsWith(".")) {
      name = name.substring(0, name.length() - 1);
    }
    IpAddress address = IpAddress.parse(name);
    return address == null ? name : address.toString();
  }
}
