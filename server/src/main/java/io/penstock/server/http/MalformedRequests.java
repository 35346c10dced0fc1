package io.penstock.server.http;

import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.impl.HttpServerConnection;

/** Answers what is not HTTP, or too much of it, and closes the connection. */
final class MalformedRequests {
  private MalformedRequests() {}

  static void answer(HttpServerRequest request) {
    Throwable cause = request.decoderResult().cause();
    if (cause instanceof TooLongHttpLineException) {
      refuse(request, 414, "URI Too Long", "The request line is too long");
    } else if (cause instanceof TooLongHttpHeaderException
        || cause instanceof TooLongFrameException) {
      refuse(request, 431, "Request Header Fields Too Large", "The headers are too large");
    } else {
      refuse(request, 400, "Bad Request", "The request is malformed");
    }
  }

  private static void refuse(HttpServerRequest request, int status, String title, String detail) {
    if (request.connection() instanceof HttpServerConnection connection) {
      connection.channelHandlerContext().pipeline().addFirst(new LingeringClose());
    }
    request.response().putHeader("Connection", "close");
    Refusals.end(request.response(), status, title, detail)
        .onComplete(sent -> request.connection().close());
  }
}
