package io.penstock.server.http;

import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;

/** Responds to requests that are not HTTP or exceed its limits, and closes the connection. */
final class MalformedRequests {
  /** The detail of the response to a request that is not HTTP. */
  static final String DETAIL = "The request is malformed";

  private MalformedRequests() {}

  /**
   * @param handler receives requests of which only the body is malformed
   */
  static void respond(HttpServerRequest request, Handler<HttpServerRequest> handler) {
    Throwable cause = request.decoderResult().cause();
    if (cause instanceof MalformedBodyException) {
      handler.handle(request);
    } else if (cause instanceof TooLongHttpLineException) {
      ClosingResponse.end(request, 414, "URI Too Long", "The request line is too long");
    } else if (cause instanceof TooLongHttpHeaderException
        || cause instanceof TooLongFrameException) {
      ClosingResponse.end(
          request, 431, "Request Header Fields Too Large", "The headers are too large");
    } else {
      ClosingResponse.end(request, 400, "Bad Request", DETAIL);
    }
  }
}
