package io.penstock.server.proxy;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2FrameListenerDecorator;
import io.netty.handler.codec.http2.Http2Headers;

/**
 * Shows Vert.x the responses of an origin that speaks HTTP/2. Vert.x takes an informational
 * response for the final one unless it is 100 or 103, so others are passed on as 103 ({@link
 * InterimStatus}). A status that is none resets the stream. Belongs to one event loop.
 */
final class InterimFrames extends Http2FrameListenerDecorator {
  InterimFrames(Http2FrameListener vertx) {
    super(vertx);
  }

  @Override
  public void onHeadersRead(
      ChannelHandlerContext connection, int stream, Http2Headers headers, int padding, boolean end)
      throws Http2Exception {
    check(stream, headers, end);
    super.onHeadersRead(connection, stream, headers, padding, end);
  }

  @Override
  public void onHeadersRead(
      ChannelHandlerContext connection,
      int stream,
      Http2Headers headers,
      int dependency,
      short weight,
      boolean exclusive,
      int padding,
      boolean end)
      throws Http2Exception {
    check(stream, headers, end);
    super.onHeadersRead(connection, stream, headers, dependency, weight, exclusive, padding, end);
  }

  private static void check(int stream, Http2Headers headers, boolean end) throws Http2Exception {
    CharSequence status = headers.status();
    if (status == null) {
      return; // Trailers.
    }
    if (!OriginResponseDecoder.isStatus(status)) {
      throw bad(stream, "status must be 100 to 999: " + status);
    }
    if (status.charAt(0) == '1') {
      if (end || "101".contentEquals(status)) {
        throw bad(stream, "an informational response must not end or switch: " + status);
      }
      if (!"100".contentEquals(status)) {
        InterimStatus.hide(headers);
      }
    }
  }

  private static Http2Exception bad(int stream, String why) {
    return Http2Exception.streamError(stream, Http2Error.PROTOCOL_ERROR, "%s", why);
  }
}
