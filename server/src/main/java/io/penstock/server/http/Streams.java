package io.penstock.server.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Stream;
import io.penstock.server.vertx.VertxInternals;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;

/** Helpers for HTTP/2 streams, and for aborting responses of any version. */
public final class Streams {
  private static final long NO_ERROR = 0;
  private static final long INTERNAL_ERROR = 2;

  private Streams() {}

  /**
   * Returns whether the client of a stream may still send parts of its body. Always true while the
   * request handler runs; accurate only after that.
   */
  public static boolean isOpen(HttpServerRequest request) {
    Http2Stream stream = handler(request).connection().stream(request.streamId());
    return stream != null && stream.state().remoteSideOpen();
  }

  /** Returns whether flow control currently allows writing more of the response. */
  public static boolean isWritable(HttpServerRequest request) {
    Http2ConnectionHandler handler = handler(request);
    Http2Stream stream = handler.connection().stream(request.streamId());
    return stream != null && handler.encoder().flowController().isWritable(stream);
  }

  private static Http2ConnectionHandler handler(HttpServerRequest request) {
    ChannelHandlerContext context = VertxInternals.ofClient(request.connection());
    return (Http2ConnectionHandler) context.handler();
  }

  /**
   * Requests that a client with a complete response stop sending its body. Other streams of the
   * connection continue. Parts of the response that have not been written are lost.
   */
  public static void stop(HttpServerRequest request) {
    if (!request.isEnded()) {
      var unused = request.response().reset(NO_ERROR);
    }
  }

  /**
   * Aborts a response that has been started and can't be completed. An HTTP/2 stream is reset with
   * an error: with NO_ERROR, clients would consider the response complete. For the same reason, an
   * HTTP/1.0 connection is reset if its end is the end of the response.
   */
  public static void abort(HttpServerRequest request) {
    HttpServerResponse response = request.response();
    if (request.version() == HttpVersion.HTTP_1_0
        && !response.headers().contains(HttpHeaders.CONTENT_LENGTH)) {
      VertxInternals.reset(request.connection());
    } else {
      var unused = response.reset(INTERNAL_ERROR);
    }
  }
}
