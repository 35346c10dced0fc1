package io.penstock.server.http;

import io.netty.util.Attribute;
import io.netty.util.AttributeKey;
import io.penstock.policy.address.IpAddress;
import io.penstock.server.vertx.VertxInternals;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import org.jspecify.annotations.Nullable;

/**
 * The address of the other end of a client's connection, which is read once per connection.
 * Immutable.
 *
 * @param text the canonical form of the address
 */
public record PeerAddress(IpAddress ip, String text) {
  private static final AttributeKey<PeerAddress> KEY =
      AttributeKey.valueOf(PeerAddress.class, "peer");

  /** Returns the peer of a request; null if it has no IP address. */
  public static @Nullable PeerAddress of(HttpServerRequest request) {
    HttpConnection connection = request.connection();
    Attribute<PeerAddress> attribute = VertxInternals.ofClient(connection).channel().attr(KEY);
    PeerAddress known = attribute.get();
    if (known != null) {
      return known;
    }
    String host = connection.remoteAddress().hostAddress();
    IpAddress ip = host == null ? null : IpAddress.parse(host);
    if (ip == null) {
      return null;
    }
    PeerAddress peer = new PeerAddress(ip, ip.toString());
    attribute.set(peer);
    return peer;
  }
}
