package io.penstock.server.proxy;

import io.penstock.policy.address.IpAddress;
import io.penstock.server.http.Refusals;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;

/**
 * A request that is on its way through, and the response to it. Belongs to one event loop.
 *
 * @param client the address that limits see, behind proxies that are trusted
 * @param trusted whether the peer is such a proxy
 */
record Exchange(
    Vertx vertx,
    HttpServerRequest request,
    Target target,
    IpAddress peer,
    String client,
    boolean trusted) {

  /** Whether the client wants to go on in another protocol on this connection. */
  boolean isUpgrade() {
    return request.headers().contains("upgrade")
        && ListHeader.has(request.headers(), "connection", "upgrade");
  }

  /** Whether the client waits to be told that its body is wanted. */
  boolean isExpecting() {
    return ListHeader.has(request.headers(), "expect", "100-continue");
  }

  /** Whether there may be a body. */
  boolean hasBody() {
    return !request.isEnded();
  }

  /** The headers as the origin gets them. */
  void writeHeaders(MultiMap to) {
    HopByHop.copyOthers(request.headers(), to);
    ForwardingHeaders.set(request, peer.toString(), client, trusted, to);
  }

  /**
   * Answers in the origin's place, unless it has begun to; then the client sees the stream break.
   */
  void refuse(int status, String title, String detail) {
    HttpServerResponse response = request.response();
    if (response.ended() || response.closed()) {
      return;
    }
    if (response.headWritten()) {
      response.reset();
      return;
    }
    response.headers().clear();
    Refusals.end(response, status, title, detail);
    Leftovers.discard(vertx, request);
  }
}
