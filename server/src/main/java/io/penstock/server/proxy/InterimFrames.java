package io.penstock.server.proxy;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2FrameListenerDecorator;
import io.netty.handler.codec.http2.Http2Headers;

/**
 * Passes the responses of an HTTP/2 origin to Vert.x. Vert.x treats an informational response other
 * than 100 and 103 as the final one, so others are passed as 103 ({@link InterimStatus}). An
 * invalid status resets the stream. Confined to one event loop.
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
      throw streamError(stream, "status must be from 100 to 999: " + status);
    }
    if (status.charAt(0) == '1') {
      if (end || "101".contentEquals(status)) {
        throw streamError(
            stream,
            "an informational response must not end the stream or switch protocols: " + status);
      }
      if (!"100".contentEquals(status)) {
        InterimStatus.hide(headers);
      }
    }
  }

  private static Http2Exception streamError(int stream, String reason) {
    return Http2Exception.streamError(stream, Http2Error.PROTOCOL_ERROR, "%s", reason);
  }
}
