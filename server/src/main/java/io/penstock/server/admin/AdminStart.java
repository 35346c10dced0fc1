package io.penstock.server.admin;

import io.penstock.server.http.JsonResponses;
import io.penstock.server.http.ProblemResponses;
import io.penstock.server.http.Routes;
import io.penstock.server.http.TrustedHosts;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;
import org.jspecify.annotations.Nullable;

/**
 * Serves the admin listener while the process starts: it is live, but not ready. Passes requests to
 * the {@link AdminListener} as soon as that is set. Thread-safe.
 */
public final class AdminStart implements Handler<HttpServerRequest> {
  private final @Nullable TrustedHosts hosts;
  private volatile @Nullable AdminListener started;

  /**
   * @param hosts the hosts that requests may use; null to accept any
   */
  public AdminStart(@Nullable TrustedHosts hosts) {
    this.hosts = hosts;
  }

  /** Passes all further requests to {@code listener}. */
  public void complete(AdminListener listener) {
    started = listener;
  }

  @Override
  public void handle(HttpServerRequest request) {
    AdminListener listener = started;
    if (listener != null) {
      listener.handle(request);
      return;
    }
    if (Routes.rejectIfInvalid(request) || (hosts != null && !hosts.admits(request))) {
      return;
    }
    String path = String.valueOf(request.path());
    if (path.equals(AdminListener.LIVE)) {
      HealthEndpoint.live(request);
    } else if (path.equals(AdminListener.READY)) {
      notReady(request);
    } else {
      ProblemResponses.end(
          request.response(), 503, "Service Unavailable", "The process is starting");
    }
  }

  private static void notReady(HttpServerRequest request) {
    request.response().setStatusCode(503);
    JsonResponses.end(
        request.response(),
        json -> {
          json.writeStartObject();
          json.writeBooleanField("ready", false);
          json.writeBooleanField("starting", true);
          json.writeEndObject();
        });
  }
}
