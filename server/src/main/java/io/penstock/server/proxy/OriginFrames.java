package io.penstock.server.proxy;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2FrameListenerDecorator;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Stream;

/**
 * Passes the responses of an HTTP/2 origin to Vert.x. Vert.x treats an informational response other
 * than 100 and 103 as the final one, so others are passed as 103 ({@link InterimStatus}). A missing
 * or invalid status, and a body without a head, reset the stream: Vert.x would report the end of a
 * response that never started. Confined to one event loop.
 */
final class OriginFrames extends Http2FrameListenerDecorator {
  private final Http2Connection streams;

  OriginFrames(Http2FrameListener vertx, Http2Connection streams) {
    super(vertx);
    this.streams = streams;
  }

  @Override
  public int onDataRead(
      ChannelHandlerContext connection, int stream, ByteBuf data, int padding, boolean end)
      throws Http2Exception {
    Http2Stream known = streams.stream(stream);
    if (known != null && !known.isHeadersReceived()) {
      throw streamError(stream, "a response must not start with DATA");
    }
    return super.onDataRead(connection, stream, data, padding, end);
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

  private void check(int stream, Http2Headers headers, boolean end) throws Http2Exception {
    CharSequence status = headers.status();
    Http2Stream known = streams.stream(stream);
    if (known != null && known.isTrailersReceived()) {
      return;
    }
    if (status == null) {
      throw streamError(stream, "a response must have a status");
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
