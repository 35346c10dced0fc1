package io.penstock.server.http;

import io.netty.channel.ChannelPipeline;
import io.penstock.server.vertx.VertxInternals;
import io.vertx.core.Future;
import io.vertx.core.http.HttpServerRequest;

/**
 * Error responses after which an HTTP/1.1 connection is closed, because what follows can't be
 * parsed.
 */
final class ClosingResponse {
  private ClosingResponse() {}

  /** Responds with a problem, and closes the connection when the client has had time to read it. */
  static Future<Void> end(HttpServerRequest request, int status, String title, String detail) {
    ChannelPipeline pipeline = VertxInternals.ofClient(request.connection()).pipeline();
    if (pipeline.get(LingeringClose.class) == null) {
      pipeline.addFirst(new LingeringClose());
    }
    request.response().putHeader("Connection", "close");
    return ProblemResponses.end(request.response(), status, title, detail)
        .onComplete(sent -> request.connection().close());
  }
}
