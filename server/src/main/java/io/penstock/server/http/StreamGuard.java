package io.penstock.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionAdapter;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Flags;
import io.netty.handler.codec.http2.Http2FrameListenerDecorator;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2Stream;
import io.penstock.server.http.UnhandledRequests.UnreadRequest;

/**
 * A frame listener in front of that of Vert.x. If Vert.x throws while it processes a stream, only
 * that stream fails; otherwise the exception would close the connection with all its streams. It
 * also closes connections that flood the server with frames that belong to no request. Confined to
 * one connection.
 */
final class StreamGuard extends Http2FrameListenerDecorator {
  private static final int UPGRADED_STREAM = 1;
  private static final long INTERVAL_NANOS = 10_000_000_000L;

  /**
   * The max number of PING, SETTINGS, PRIORITY, WINDOW_UPDATE and unknown frames that a client may
   * send in an interval beyond those that accompany traffic. Clients that measure the network send
   * a PING for each part of a response.
   */
  private static final int MAX_CONTROL_FRAMES = 1_000;

  /**
   * The number of control frames that may accompany one write; a part of a response takes two
   * writes.
   */
  private static final int FRAMES_PER_WRITE = 2;

  private final Http2ConnectionHandler handler;
  private final FailedRequests failures;

  /** Marks the streams whose heads have been read. */
  private final Http2Connection.PropertyKey headRead;

  private long intervalStart = System.nanoTime();
  private int surplus;
  private int lastStream;

  private StreamGuard(Http2ConnectionHandler handler, FailedRequests failures) {
    super(handler.decoder().frameListener());
    this.handler = handler;
    this.failures = failures;
    this.headRead = handler.connection().newKey();
  }

  /**
   * Installs a guard; must be called once Vert.x has reported the connection.
   *
   * @param unhandled records responses that Netty sends
   */
  static void attach(
      ChannelHandlerContext http, FailedRequests failures, UnhandledRequests unhandled) {
    Http2ConnectionHandler handler = (Http2ConnectionHandler) http.handler();
    StreamGuard guard = new StreamGuard(handler, failures);
    handler.decoder().frameListener(guard);
    http.pipeline().addBefore(http.name(), "sent", guard.new WriteObserver());
    // Vert.x reads the head of an upgraded request, which is the first stream, over HTTP/1.1.
    boolean upgraded = handler.connection().stream(UPGRADED_STREAM) != null;
    if (upgraded) {
      GoAwayText.remove(handler);
    }
    handler
        .connection()
        .addListener(
            new Http2ConnectionAdapter() {
              @Override
              public void onStreamClosed(Http2Stream stream) {
                boolean read =
                    stream.getProperty(guard.headRead) != null
                        || (upgraded && stream.id() == UPGRADED_STREAM);
                if (!read && stream.isHeadersSent()) {
                  // Netty responds only to headers that are too large.
                  unhandled.responded(UnreadRequest.of(http.channel(), "HTTP/2.0", 431, 0));
                }
              }
            });
  }

  @Override
  public void onHeadersRead(
      ChannelHandlerContext ctx, int streamId, Http2Headers headers, int padding, boolean end)
      throws Http2Exception {
    countTraffic();
    try {
      super.onHeadersRead(ctx, streamId, checkHead(streamId, headers), padding, end);
    } catch (RuntimeException e) {
      failed(ctx, streamId, e);
    }
  }

  @Override
  public void onHeadersRead(
      ChannelHandlerContext ctx,
      int streamId,
      Http2Headers headers,
      int streamDependency,
      short weight,
      boolean exclusive,
      int padding,
      boolean end)
      throws Http2Exception {
    countTraffic();
    try {
      super.onHeadersRead(
          ctx,
          streamId,
          checkHead(streamId, headers),
          streamDependency,
          weight,
          exclusive,
          padding,
          end);
    } catch (RuntimeException e) {
      failed(ctx, streamId, e);
    }
  }

  /** Marks a malformed head; trailers stay unchanged. */
  private Http2Headers checkHead(int streamId, Http2Headers headers) {
    if (streamId <= lastStream) {
      return headers;
    }
    lastStream = streamId;
    Http2Stream stream = handler.connection().stream(streamId);
    if (stream != null) {
      stream.setProperty(headRead, true);
    }
    return MalformedHead.markIfMalformed(headers);
  }

  @Override
  public int onDataRead(
      ChannelHandlerContext ctx, int streamId, ByteBuf data, int padding, boolean endOfStream)
      throws Http2Exception {
    countTraffic();
    int bytes = data.readableBytes() + padding;
    try {
      return super.onDataRead(ctx, streamId, data, padding, endOfStream);
    } catch (RuntimeException e) {
      failed(ctx, streamId, e);
      return bytes;
    }
  }

  private void failed(ChannelHandlerContext ctx, int streamId, RuntimeException failure) {
    failures.record(failure);
    if (handler.connection().stream(streamId) != null) {
      var unused =
          handler.resetStream(ctx, streamId, Http2Error.INTERNAL_ERROR.code(), ctx.newPromise());
      ctx.flush();
    }
  }

  @Override
  public void onPingRead(ChannelHandlerContext ctx, long data) throws Http2Exception {
    countControlFrames(1 + FRAMES_PER_WRITE);
    super.onPingRead(ctx, data);
  }

  @Override
  public void onSettingsRead(ChannelHandlerContext ctx, Http2Settings settings)
      throws Http2Exception {
    countControlFrames(1 + FRAMES_PER_WRITE);
    super.onSettingsRead(ctx, settings);
  }

  @Override
  public void onPingAckRead(ChannelHandlerContext ctx, long data) throws Http2Exception {
    countControlFrames(1);
    super.onPingAckRead(ctx, data);
  }

  @Override
  public void onPriorityRead(
      ChannelHandlerContext ctx, int streamId, int dependency, short weight, boolean exclusive)
      throws Http2Exception {
    countControlFrames(1);
    super.onPriorityRead(ctx, streamId, dependency, weight, exclusive);
  }

  @Override
  public void onWindowUpdateRead(ChannelHandlerContext ctx, int streamId, int increment)
      throws Http2Exception {
    countControlFrames(1);
    super.onWindowUpdateRead(ctx, streamId, increment);
  }

  @Override
  public void onUnknownFrame(
      ChannelHandlerContext ctx, byte type, int streamId, Http2Flags flags, ByteBuf payload)
      throws Http2Exception {
    countControlFrames(1);
    super.onUnknownFrame(ctx, type, streamId, flags, payload);
  }

  /**
   * Counts control frames. If a frame is acknowledged, the write of the acknowledgement has already
   * been subtracted.
   */
  private void countControlFrames(int frames) throws Http2Exception {
    long now = System.nanoTime();
    if (now - intervalStart > INTERVAL_NANOS) {
      intervalStart = now;
      surplus = 0;
    }
    surplus += frames;
    if (surplus > MAX_CONTROL_FRAMES) {
      throw Http2Exception.connectionError(Http2Error.ENHANCE_YOUR_CALM, "too many control frames");
    }
  }

  private void countTraffic() {
    surplus = Math.max(0, surplus - FRAMES_PER_WRITE);
  }

  /** Observes writes. */
  private final class WriteObserver extends ChannelOutboundHandlerAdapter {
    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
      countTraffic();
      var unused = ctx.write(message, promise);
    }
  }
}
