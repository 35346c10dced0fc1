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
 * Keeps web pages of others away from a listener that asks for no token, where a browser on the
 * same machine is all that stands between it and the world. Immutable.
 *
 * <p>A page can make a browser send requests anywhere. It can read the answers if its own name
 * leads to the listener's address (DNS rebinding), and then the request's {@code Host} is that
 * name; so only known hosts pass. What a page of another origin sends, the browser marks as such.
 */
public final class TrustedHosts {
  private static final Set<String> FROM_ELSEWHERE = Set.of("cross-site", "same-site");

  private final Set<String> names = new HashSet<>();

  /**
   * @param bound the address that the listener is bound to
   * @param more other names and addresses that it is known by
   */
  public TrustedHosts(String bound, List<String> more) {
    names.add("localhost");
    names.add(canonical(bound));
    more.forEach(name -> names.add(canonical(name)));
  }

  /** Whether a request may pass; one that may not has been answered. */
  public boolean admits(HttpServerRequest request) {
    // Browsers always send a host. Probes that speak HTTP/1.0 may not.
    HostAndPort authority = request.authority();
    String sent = authority == null ? request.getHeader("Host") : authority.host();
    if ((sent != null && !isTrusted(sent)) || !isTrustedTarget(request.uri())) {
      ProblemResponses.end(
          request.response(),
          421,
          "Misdirected Request",
          "This listener is not known by the host of the request; without a token it answers to"
              + " loopback names, its own address and those of the setting admin_hosts");
      return false;
    }
    if (isFromPageElsewhere(request, authority)) {
      ProblemResponses.end(
          request.response(), 403, "Forbidden", "Web pages of other origins need a token here");
      return false;
    }
    return true;
  }

  /** The host of an absolute target counts before that of the header. */
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

  private static boolean isFromPageElsewhere(
      HttpServerRequest request, @Nullable HostAndPort authority) {
    String origin = request.getHeader("Origin");
    if (origin != null && !isOwn(origin, authority)) {
      return true;
    }
    String site = request.getHeader("Sec-Fetch-Site");
    // Whoever follows a link leaves the page that it was on.
    boolean follows =
        request.method().equals(HttpMethod.GET)
            && "navigate".equals(request.getHeader("Sec-Fetch-Mode"));
    return site != null && FROM_ELSEWHERE.contains(site) && !follows;
  }

  private static boolean isOwn(String origin, @Nullable HostAndPort authority) {
    return authority != null
        && (origin.equalsIgnoreCase("http://" + authority)
            || origin.equalsIgnoreCase("https://" + authority));
  }

  /** One form for each name and address: small letters, no dot at the end, no brackets. */
  private static String canonical(String host) {
    String name = host.toLowerCase(Locale.ROOT);
    if (name.endsWith(".")) {
      name = name.substring(0, name.length() - 1);
    }
    IpAddress address = IpAddress.parse(name);
    return address == null ? name : address.toString();
  }
}
