package io.penstock.server.http;

import io.netty.channel.ChannelPipeline;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.impl.HttpServerConnection;

/** Answers after which a connection of HTTP/1.1 is closed, because what follows can't be read. */
final class ClosingResponse {
  private ClosingResponse() {}

  /** Answers with a problem, and closes when the client has had the time to read it. */
  static void end(HttpServerRequest request, int status, String title, String detail) {
    if (request.connection() instanceof HttpServerConnection connection) {
      ChannelPipeline pipeline = connection.channelHandlerContext().pipeline();
      if (pipeline.get(LingeringClose.class) == null) {
        pipeline.addFirst(new LingeringClose());
      }
    }
    request.response().putHeader("Connection", "close");
    ProblemResponses.end(request.response(), status, title, detail)
        .onComplete(sent -> request.connection().close());
  }
}
