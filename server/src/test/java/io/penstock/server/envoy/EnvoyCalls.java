package io.penstock.server.envoy;

import static io.penstock.server.envoy.EnvoyClient.descriptor;
import static io.penstock.server.envoy.EnvoyClient.entry;

import io.penstock.server.envoy.proto.auth.AttributeContext;
import io.penstock.server.envoy.proto.auth.CheckRequest;
import io.penstock.server.envoy.proto.auth.CheckResponse;
import io.penstock.server.envoy.proto.service.RateLimitResponse;

/** Calls of Envoy, for tests of other packages. */
public final class EnvoyCalls implements AutoCloseable {
  private final EnvoyClient client;

  public EnvoyCalls(int port) {
    this.client = new EnvoyClient(port);
  }

  /** Asks for the limit of a user in the domain {@code shop}. */
  public RateLimitResponse ask(String user) {
    return client.ask("shop", descriptor("user=" + user));
  }

  /** Gives a hit of a user back. */
  public RateLimitResponse giveBack(String user) {
    return client.ask("shop", entry("user=" + user).setIsNegativeHits(true).build());
  }

  /** Asks for the authorization of {@code GET /}. */
  public CheckResponse authorize() {
    AttributeContext.HttpRequest http =
        AttributeContext.HttpRequest.newBuilder()
            .setMethod("GET")
            .setHost("a")
            .setPath("/")
            .build();
    CheckRequest request =
        CheckRequest.newBuilder()
            .setAttributes(
                AttributeContext.newBuilder()
                    .setRequest(AttributeContext.Request.newBuilder().setHttp(http)))
            .build();
    return client.call(
        "envoy.service.auth.v3.Authorization/Check", request, CheckResponse.parser());
  }

  @Override
  public void close() {
    client.close();
  }
}
