package io.penstock.policy.http;

import io.penstock.policy.PolicyEngine;
import io.penstock.policy.address.Headers;
import io.penstock.policy.address.IpAddress;

/** Makes requests of what HTTP brings, by the policy in force. Thread-safe. */
public final class HttpRequests {
  private final PolicyEngine engine;

  public HttpRequests(PolicyEngine engine) {
    this.engine = engine;
  }

  /** A request that came from {@code peer}, which is the client unless it is a trusted proxy. */
  public HttpRequest from(IpAddress peer, RequestLine line, Headers headers) {
    IpAddress client = engine.policy().clientAddress().resolve(peer, headers);
    return new HttpRequest(client, line, headers, engine.jwt());
  }

  /** A request that {@code proxy} asks about, which is trusted to say for whom. */
  public HttpRequest behind(IpAddress proxy, RequestLine line, Headers headers) {
    IpAddress client = engine.policy().clientAddress().resolveBehind(proxy, headers);
    return new HttpRequest(client, line, headers, engine.jwt());
  }
}
