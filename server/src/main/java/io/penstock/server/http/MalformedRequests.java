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
   * @param unhandled records the responses to all others
   */
  static void respond(
      HttpServerRequest request, Handler<HttpServerRequest> handler, UnhandledRequests unhandled) {
    Throwable cause = request.decoderResult().cause();
    if (cause instanceof MalformedBodyException) {
      handler.handle(request);
    } else if (cause instanceof TooLongHttpLineException) {
      end(request, unhandled, 414, "URI Too Long", "The request line is too long");
    } else if (cause instanceof TooLongHttpHeaderException
        || cause instanceof TooLongFrameException) {
      end(request, unhandled, 431, "Request Header Fields Too Large", "The headers are too large");
    } else {
      end(request, unhandled, 400, "Bad Request", DETAIL);
    }
  }

  private static void end(
      HttpServerRequest request,
      UnhandledRequests unhandled,
      int status,
      String title,
      String detail) {
    unhandled.end(request, () -> ClosingResponse.end(request, status, title, detail));
  }
}
