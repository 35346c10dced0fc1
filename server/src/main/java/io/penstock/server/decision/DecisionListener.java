package io.penstock.server.decision;

import io.penstock.policy.http.VerdictResponses;
import io.penstock.server.RequestLimiter;
import io.penstock.server.http.BearerToken;
import io.penstock.server.http.Bodies;
import io.penstock.server.http.DelayedRequests;
import io.penstock.server.http.Routes;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import org.jspecify.annotations.Nullable;

/** The door for programs and proxies that ask whether a request may pass. Thread-safe. */
public final class DecisionListener implements Handler<HttpServerRequest> {
  private static final int MAX_BATCH_BYTES = 1 << 20;

  private final BearerToken token;
  private final ForwardAuthEndpoint forwardAuth;
  private final Routes routes;

  /**
   * @param holding those whom rules with {@code on_limit: delay} make wait
   */
  public DecisionListener(
      RequestLimiter limiting,
      VerdictResponses answers,
      DelayedRequests holding,
      Bodies bodies,
      BearerToken token) {
    this.token = token;
    this.forwardAuth = new ForwardAuthEndpoint(limiting, answers, holding);
    this.routes =
        new Routes()
            .on(HttpMethod.POST, CheckEndpoint.PATH, new CheckEndpoint(limiting, bodies))
            .on(
                HttpMethod.POST,
                CheckBatchEndpoint.PATH,
                new CheckBatchEndpoint(limiting, bodies.upTo(MAX_BATCH_BYTES)));
  }

  /** What is behind which path, but for the one that takes any method. */
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
