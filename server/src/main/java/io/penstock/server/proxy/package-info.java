/**
 * The proxy listener: forwards allowed requests to the origin as streams, and rejects all others.
 *
 * <p>Start with {@link io.penstock.server.proxy.ProxyListener}. {@code OriginClient} sends requests
 * to the origin, {@code Forwarding} returns the responses, and {@code OriginResponseDecoder}
 * decides when a connection to the origin may be reused.
 */
@NullMarked
package io.penstock.server.proxy;

import org.jspecify.annotations.NullMarked;
