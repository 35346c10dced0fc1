package io.penstock.server.proxy;

import io.penstock.policy.address.ClientAddress;
import io.penstock.policy.address.Headers;
import io.penstock.server.http.PeerAddress;
import io.penstock.server.http.RequestHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The headers of a request as rules see them: as the origin receives them. Otherwise a client could
 * satisfy a condition with a header that the proxy drops or replaces. Used by one request.
 */
final class RuleHeaders implements Headers {
  private final HttpServerRequest request;
  private final PeerAddress peer;
  private final ClientAddress clients;
  private final RequestHeaders sent;

  /**
   * @param clients states which peers are trusted proxies
   * @param plainNamesOnly as for {@link RequestHeaders}
   */
  RuleHeaders(
      HttpServerRequest request, PeerAddress peer, ClientAddress clients, boolean plainNamesOnly) {
    this.request = request;
    this.peer = peer;
    this.clients = clients;
    this.sent =
        new RequestHeaders(
            request.headers(), plainNamesOnly, HopByHop.removedByClient(request.headers()));
  }

  @Override
  public @Nullable String get(String name) {
    if (isReplaced(name)) {
      return ForwardingHeaders.valueOf(name, request, peer.text());
    }
    return isDroppedUpgrade(name) ? null : sent.get(name);
  }

  @Override
  public List<String> all(String name) {
    if (isReplaced(name)) {
      String value = ForwardingHeaders.valueOf(name, request, peer.text());
      return value == null ? List.of() : List.of(value);
    }
    return isDroppedUpgrade(name) ? List.of() : sent.all(name);
  }

  @Override
  public List<String> similar(String name) {
    return isReplaced(name) ? List.of() : sent.similar(name);
  }

  private boolean isReplaced(String name) {
    return ClientHeaders.isReplaced(name, () -> clients.trusts(peer.ip()));
  }

  private boolean isDroppedUpgrade(String name) {
    return name.equals("upgrade") && !Exchange.isUpgrade(request);
  }
}
