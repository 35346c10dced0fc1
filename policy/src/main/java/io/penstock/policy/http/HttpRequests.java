package io.penstock.policy.http;

import io.penstock.policy.PolicyEngine;
import io.penstock.policy.address.Headers;
import io.penstock.policy.address.IpAddress;
import java.util.function.Supplier;

/** Creates requests according to the active policy. Thread-safe. */
public final class HttpRequests {
  private final PolicyEngine engine;

  public HttpRequests(PolicyEngine engine) {
    this.engine = engine;
  }

  /**
   * Creates a request that came from {@code peer}, which is the client unless it is a trusted
   * proxy.
   */
  public HttpRequest from(IpAddress peer, RequestLine line, Headers headers) {
    return from(peer, line, headers, CallerAttributes.NOTHING);
  }

  /** Creates a request with additional caller attributes. */
  public HttpRequest from(
      IpAddress peer, RequestLine line, Headers headers, CallerAttributes callerAttributes) {
    IpAddress client = engine.policy().clientAddress().resolve(peer, headers);
    return new HttpRequest(client, line, headers, engine.jwt(), callerAttributes);
  }

  /**
   * Creates a request on behalf of a proxy that is trusted to state the client's address.
   *
   * @param proxy the address of the proxy, called only if the proxy states no client
   */
  public HttpRequest behind(Supplier<IpAddress> proxy, RequestLine line, Headers headers) {
    IpAddress client = engine.policy().clientAddress().clientBehind(headers);
    return new HttpRequest(client == null ? proxy.get() : client, line, headers, engine.jwt());
  }
}
