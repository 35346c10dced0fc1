package io.penstock.server.proxy;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionDecoder;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2FrameListenerDecorator;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Stream;
import org.jspecify.annotations.Nullable;

/**
 * Passes the responses of an HTTP/2 origin to Vert.x. Vert.x treats an informational response other
 * than 100 and 103 as the final one, so others are passed as 103 ({@link InterimStatus}). A missing
 * or invalid status, too many informational responses, and a body without a head, reset the stream:
 * Vert.x would report the end of a response that never started. Confined to one event loop.
 *
 * <p>Netty closes a connection at the third empty DATA frame in a row, and has no setting for it
 * that Vert.x exposes. Some origins send an empty frame whenever they flush, so more are allowed.
 */
final class OriginFrames extends Http2FrameListenerDecorator {
  /** The max number of empty DATA frames in a row that an origin may send in an interval. */
  private static final int MAX_EMPTY_FRAMES = 1_000;

  private static final long INTERVAL_NANOS = 10_000_000_000L;

  private final Http2ConnectionDecoder decoder;
  private final Http2Connection streams;
  private final Http2Connection.PropertyKey interimResponses;
  private int emptyFrames;
  private long intervalStart;

  private OriginFrames(Http2ConnectionDecoder decoder, Http2Connection streams) {
    super(decoder.frameListener());
    this.decoder = decoder;
    this.streams = streams;
    this.interimResponses = streams.newKey();
  }

  /** Decorates the frame listener of a connection, and returns the new one. */
  static Http2FrameListener decorate(Http2ConnectionHandler connection) {
    OriginFrames frames = new OriginFrames(connection.decoder(), connection.connection());
    frames.decoder.frameListener(frames);
    return frames;
  }

  @Override
  public int onDataRead(
      ChannelHandlerContext connection, int stream, ByteBuf data, int padding, boolean end)
      throws Http2Exception {
    Http2Stream known = streams.stream(stream);
    if (known != null && !known.isHeadersReceived()) {
      throw streamError(stream, "a response must not start with DATA");
    }
    if (end || data.isReadable()) {
      emptyFrames = 0;
    } else {
      countEmptyFrame();
    }
    return super.onDataRead(connection, stream, data, padding, end);
  }

  private void countEmptyFrame() throws Http2Exception {
    long now = System.nanoTime();
    if (emptyFrames == 0 || now - intervalStart > INTERVAL_NANOS) {
      intervalStart = now;
      emptyFrames = 0;
    }
    emptyFrames++;
    if (emptyFrames > MAX_EMPTY_FRAMES) {
      throw Http2Exception.connectionError(
          Http2Error.ENHANCE_YOUR_CALM,
          "more than %d empty DATA frames in a row",
          MAX_EMPTY_FRAMES);
    }
    // For a new listener, Netty counts from zero.
    decoder.frameListener(this);
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
      countInterimResponse(stream, known);
      if (!"100".contentEquals(status)) {
        InterimStatus.hide(headers);
      }
    }
  }

  private void countInterimResponse(int stream, @Nullable Http2Stream known) throws Http2Exception {
    if (known == null) {
      return;
    }
    Integer before = known.getProperty(interimResponses);
    int count = before == null ? 1 : before + 1;
    known.setProperty(interimResponses, count);
    if (count > InterimStatus.MAX_RESPONSES) {
      throw streamError(stream, InterimStatus.tooMany());
    }
  }

  private static Http2Exception streamError(int stream, String reason) {
    return Http2Exception.streamError(stream, Http2Error.PROTOCOL_ERROR, "%s", reason);
  }
}
