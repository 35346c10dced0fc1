package io.penstock.server.http;

import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.http.HttpServerRequest;

/** Responds to requests that are not HTTP or exceed its limits, and closes the connection. */
final class MalformedRequests {
  private MalformedRequests() {}

  static void respond(HttpServerRequest request) {
    Throwable cause = request.decoderResult().cause();
    if (cause instanceof TooLongHttpLineException) {
      ClosingResponse.end(request, 414, "URI Too Long", "The request line is too long");
    } else if (cause instanceof TooLongHttpHeaderException
        || cause instanceof TooLongFrameException) {
      ClosingResponse.end(
          request, 431, "Request Header Fields Too Large", "The headers are too large");
    } else {
      ClosingResponse.end(request, 400, "Bad Request", "The request is malformed");
    }
  }
}
