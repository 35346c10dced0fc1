package io.penstock.server.decision;

import io.penstock.policy.http.Gate;
import io.penstock.server.http.BearerToken;
import io.penstock.server.http.Bodies;
import io.penstock.server.http.DelayedRequests;
import io.penstock.server.http.Routes;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import org.jspecify.annotations.Nullable;

/**
 * The decision listener, for programs and proxies that ask whether a request may pass. Thread-safe.
 */
public final class DecisionListener implements Handler<HttpServerRequest> {
  private static final int MAX_BATCH_BYTES = 1 << 20;

  private final BearerToken token;
  private final ForwardAuthEndpoint forwardAuth;
  private final Routes routes;

  /**
   * @param delayed holds back requests for rules with {@code on_limit: delay}
   * @param others further paths
   */
  public DecisionListener(
      Gate gate, DelayedRequests delayed, Bodies bodies, BearerToken token, Routes others) {
    this.token = token;
    this.forwardAuth = new ForwardAuthEndpoint(gate, delayed);
    this.routes =
        others
            .on(HttpMethod.POST, CheckEndpoint.PATH, new CheckEndpoint(gate, bodies))
            .on(
                HttpMethod.POST,
                CheckBatchEndpoint.PATH,
                new CheckBatchEndpoint(gate, bodies.upTo(MAX_BATCH_BYTES)));
  }

  /** Returns the handler of each path, except for forward-auth, which accepts any method. */
  public Routes routes() {
    return routes;
  }

  @Override
  public void handle(HttpServerRequest request) {
    if (!token.admits(request)) {
      return;
    }
    if (isForwardAuth(request.path())) {
      forwardAuth.handle(request);
    } else {
      routes.handle(request);
    }
  }

  private static boolean isForwardAuth(@Nullable String path) {
    return path != null
        && path.startsWith(ForwardAuthEndpoint.PATH)
        && (path.length() == ForwardAuthEndpoint.PATH.length()
            || path.charAt(ForwardAuthEndpoint.PATH.length()) == '/');
  }
}
