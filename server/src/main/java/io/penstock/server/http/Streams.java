package io.penstock.server.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Stream;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.impl.HttpServerConnection;

/** Streams of HTTP/2, of which a connection has many. */
public final class Streams {
  private static final long NO_ERROR = 0;
  private static final long INTERNAL_ERROR = 2;

  private Streams() {}

  /**
   * Whether the client of a stream may still send a part of its body. True for every stream while
   * the handler of requests is called with it; right only after that.
   */
  public static boolean isOpen(HttpServerRequest request) {
    Http2Stream stream = handler(request).connection().stream(request.streamId());
    return stream != null && stream.state().remoteSideOpen();
  }

  /** Whether the client of a stream takes more of the response now. */
  public static boolean isWritable(HttpServerRequest request) {
    Http2ConnectionHandler handler = handler(request);
    Http2Stream stream = handler.connection().stream(request.streamId());
    return stream != null && handler.encoder().flowController().isWritable(stream);
  }

  private static Http2ConnectionHandler handler(HttpServerRequest request) {
    ChannelHandlerContext context =
        ((HttpServerConnection) request.connection()).channelHandlerContext();
    return (Http2ConnectionHandler) context.handler();
  }

  /**
   * Tells a client that has its whole response that the rest of its body is not wanted. The other
   * streams of the connection go on. What is not written of the response would be lost.
   */
  public static void stop(HttpServerRequest request) {
    if (!request.isEnded()) {
      var unused = request.response().reset(NO_ERROR);
    }
  }

  /**
   * Ends a response that has begun and can't be completed. An HTTP/2 stream is reset with an error:
   * clients take what they have for the whole response if the code is NO_ERROR.
   */
  public static void breakOff(HttpServerResponse response) {
    var unused = response.reset(INTERNAL_ERROR);
  }
}
