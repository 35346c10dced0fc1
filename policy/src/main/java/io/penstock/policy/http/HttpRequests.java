package io.penstock.policy.http;

import io.penstock.policy.PolicyEngine;
import io.penstock.policy.address.Headers;
import io.penstock.policy.address.IpAddress;
import java.util.function.Supplier;

/** Makes requests of what HTTP brings, by the policy in force. Thread-safe. */
public final class HttpRequests {
  private final PolicyEngine engine;

  public HttpRequests(PolicyEngine engine) {
    this.engine = engine;
  }

  /** A request that came from {@code peer}, which is the client unless it is a trusted proxy. */
  public HttpRequest from(IpAddress peer, RequestLine line, Headers headers) {
    return from(peer, line, headers, CallerAttributes.NOTHING);
  }

  /** As above, with what the door knows besides. */
  public HttpRequest from(
      IpAddress peer, RequestLine line, Headers headers, CallerAttributes known) {
    IpAddress client = engine.policy().clientAddress().resolve(peer, headers);
    return new HttpRequest(client, line, headers, engine.jwt(), known);
  }

  /**
   * A request that a proxy asks about, which is trusted to say for whom.
   *
   * @param proxy its address, asked for only if it doesn't say
   */
  public HttpRequest behind(Supplier<IpAddress> proxy, RequestLine line, Headers headers) {
    IpAddress client = engine.policy().clientAddress().clientBehind(headers);
    return new HttpRequest(client == null ? proxy.get() : client, line, headers, engine.jwt());
  }
}
