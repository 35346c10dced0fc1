package io.penstock.server.decision;

import io.penstock.policy.Verdict;
import io.penstock.policy.http.CheckJson;
import io.penstock.policy.request.CheckRequest;
import io.penstock.policy.request.CheckRequestReader;
import io.penstock.server.RequestLimiter;
import io.penstock.server.http.Bodies;
import io.penstock.server.http.JsonDocuments;
import io.penstock.server.http.JsonResponses;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;

/** Decides one request that the caller describes. Thread-safe. */
final class CheckEndpoint implements Handler<HttpServerRequest> {
  static final String PATH = "/v1/check";

  private final RequestLimiter limiter;
  private final Bodies bodies;

  CheckEndpoint(RequestLimiter limiter, Bodies bodies) {
    this.limiter = limiter;
    this.bodies = bodies;
  }

  @Override
  public void handle(HttpServerRequest httpRequest) {
    bodies.read(httpRequest, body -> decide(httpRequest, body));
  }

  private void decide(HttpServerRequest httpRequest, Buffer body) {
    JsonDocuments.<CheckRequest>read(
        httpRequest,
        body,
        CheckRequestReader::read,
        checkRequest -> evaluate(limiter, checkRequest, new CheckCall(httpRequest)));
  }

  static void evaluate(
      RequestLimiter limiter, CheckRequest checkRequest, RequestLimiter.VerdictHandler handler) {
    if (checkRequest.dryRun()) {
      limiter.preview(checkRequest.request(), handler);
    } else {
      limiter.decide(checkRequest.request(), handler);
    }
  }

  /** Responds when the verdict arrives. */
  private record CheckCall(HttpServerRequest httpRequest) implements RequestLimiter.VerdictHandler {
    @Override
    public void decided(Verdict verdict) {
      httpRequest
          .response()
          .putHeader("Content-Type", JsonResponses.TYPE)
          .end(Buffer.buffer(CheckJson.bytes(verdict)));
    }

    @Override
    public void failed(Throwable failure) {
      UndecidedResponses.respond(httpRequest.response(), failure);
    }
  }
}
