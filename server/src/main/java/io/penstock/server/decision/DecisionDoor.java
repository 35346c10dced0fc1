package io.penstock.server.decision;

import io.penstock.policy.http.HttpAnswers;
import io.penstock.server.Limiting;
import io.penstock.server.http.BearerToken;
import io.penstock.server.http.Bodies;
import io.penstock.server.http.Holding;
import io.penstock.server.http.Routes;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import org.jspecify.annotations.Nullable;

/** The door for programs and proxies that ask whether a request may pass. Thread-safe. */
public final class DecisionDoor implements Handler<HttpServerRequest> {
  private static final int LARGEST_BATCH_BYTES = 1 << 20;

  private final BearerToken token;
  private final ForwardAuth forwardAuth;
  private final Routes routes;

  /**
   * @param holding those whom rules with {@code on_limit: delay} make wait
   */
  public DecisionDoor(
      Limiting limiting, HttpAnswers answers, Holding holding, Bodies bodies, BearerToken token) {
    this.token = token;
    this.forwardAuth = new ForwardAuth(limiting, answers, holding);
    this.routes =
        new Routes()
            .on(HttpMethod.POST, Check.PATH, new Check(limiting, bodies))
            .on(
                HttpMethod.POST,
                CheckBatch.PATH,
                new CheckBatch(limiting, bodies.upTo(LARGEST_BATCH_BYTES)));
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
        && path.startsWith(ForwardAuth.PATH)
        && (path.length() == ForwardAuth.PATH.length()
            || path.charAt(ForwardAuth.PATH.length()) == '/');
  }
}
