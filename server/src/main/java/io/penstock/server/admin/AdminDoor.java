package io.penstock.server.admin;

import static io.vertx.core.http.HttpMethod.GET;
import static io.vertx.core.http.HttpMethod.POST;

import io.penstock.server.http.BearerToken;
import io.penstock.server.http.Routes;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;
import java.util.Set;

/** The door for those who run the process. Thread-safe. */
public final class AdminDoor implements Handler<HttpServerRequest> {
  private static final String LIVE = "/livez";
  private static final String READY = "/readyz";
  private static final String METRICS = "/metrics";
  private static final Set<String> FOR_ALL = Set.of(LIVE, READY, METRICS);

  private final BearerToken token;
  private final Routes routes;

  public AdminDoor(
      BearerToken token, Health health, Metrics metrics, PolicyTools policy, KeyTools keys) {
    this.token = token;
    this.routes =
        new Routes()
            .on(GET, LIVE, health::live)
            .on(GET, READY, health::ready)
            .on(GET, METRICS, metrics)
            .on(GET, "/v1/policy", policy::policy)
            .on(POST, "/v1/explain", policy::explain)
            .on(GET, "/v1/mode", policy::mode)
            .on(POST, "/v1/mode", policy::setMode)
            .on(POST, "/v1/keys/peek", keys::peek)
            .on(POST, "/v1/keys/reset", keys::reset)
            .on(POST, "/v1/keys/grant", keys::grant)
            .on(GET, "/v1/openapi.yaml", OpenApi::answer);
  }

  /** What is behind which path. */
  public Routes routes() {
    return routes;
  }

  @Override
  public void handle(HttpServerRequest request) {
    if (FOR_ALL.contains(String.valueOf(request.path())) || token.admits(request)) {
      routes.handle(request);
    }
  }
}
