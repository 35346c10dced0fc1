package io.penstock.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Flags;
import io.netty.handler.codec.http2.Http2FrameListenerDecorator;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Settings;

/**
 * Stands between the frames of an HTTP/2 connection and Vert.x, so that a stream that Vert.x can't
 * take fails alone: what it throws would end the connection with all other streams. And it ends a
 * connection that floods it with frames which belong to no request. Belongs to one connection.
 */
final class StreamGuard extends Http2FrameListenerDecorator {
  private static final long INTERVAL_NANOS = 10_000_000_000L;

  /**
   * How many PING, SETTINGS, PRIORITY, WINDOW_UPDATE and unknown frames a client may send in an
   * interval beyond those that go with traffic: clients that measure the network send a PING for
   * each piece of a response.
   */
  private static final int MAX_CONTROL_FRAMES = 1_000;

  /** How many control frames go with one write: a piece of a response is two writes. */
  private static final int FRAMES_PER_WRITE = 2;

  private final Http2ConnectionHandler handler;
  private final FailedRequests failures;
  private long intervalStart = System.nanoTime();
  private int surplus;
  private int lastStream;

  private StreamGuard(Http2ConnectionHandler handler, FailedRequests failures) {
    super(handler.decoder().frameListener());
    this.handler = handler;
    this.failures = failures;
  }

  /** Puts a guard in place, once Vert.x has told of the connection. */
  static void attach(ChannelHandlerContext http, FailedRequests failures) {
    Http2ConnectionHandler handler = (Http2ConnectionHandler) http.handler();
    StreamGuard guard = new StreamGuard(handler, failures);
    handler.decoder().frameListener(guard);
    http.pipeline().addBefore(http.name(), "sent", guard.new Sent());
  }

  @Override
  public void onHeadersRead(
      ChannelHandlerContext ctx, int streamId, Http2Headers headers, int padding, boolean end)
      throws Http2Exception {
    passed();
    try {
      super.onHeadersRead(ctx, streamId, checked(streamId, headers), padding, end);
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
    passed();
    try {
      super.onHeadersRead(
          ctx,
          streamId,
          checked(streamId, headers),
          streamDependency,
          weight,
          exclusive,
          padding,
          end);
    } catch (RuntimeException e) {
      failed(ctx, streamId, e);
    }
  }

  /** A head as it is unless it is malformed; trailers as they are. */
  private Http2Headers checked(int streamId, Http2Headers headers) {
    boolean isHead = streamId > lastStream;
    lastStream = Math.max(lastStream, streamId);
    return isHead ? MalformedHead.marked(headers) : headers;
  }

  @Override
  public int onDataRead(
      ChannelHandlerContext ctx, int streamId, ByteBuf data, int padding, boolean endOfStream)
      throws Http2Exception {
    passed();
    int bytes = data.readableBytes() + padding;
    try {
      return super.onDataRead(ctx, streamId, data, padding, endOfStream);
    } catch (RuntimeException e) {
      failed(ctx, streamId, e);
      return bytes;
    }
  }

  private void failed(ChannelHandlerContext ctx, int streamId, RuntimeException failure) {
    failures.note(failure);
    if (handler.connection().stream(streamId) != null) {
      var unused =
          handler.resetStream(ctx, streamId, Http2Error.INTERNAL_ERROR.code(), ctx.newPromise());
      ctx.flush();
    }
  }

  @Override
  public void onPingRead(ChannelHandlerContext ctx, long data) throws Http2Exception {
    control(1 + FRAMES_PER_WRITE);
    super.onPingRead(ctx, data);
  }

  @Override
  public void onSettingsRead(ChannelHandlerContext ctx, Http2Settings settings)
      throws Http2Exception {
    control(1 + FRAMES_PER_WRITE);
    super.onSettingsRead(ctx, settings);
  }

  @Override
  public void onPingAckRead(ChannelHandlerContext ctx, long data) throws Http2Exception {
    control(1);
    super.onPingAckRead(ctx, data);
  }

  @Override
  public void onPriorityRead(
      ChannelHandlerContext ctx, int streamId, int dependency, short weight, boolean exclusive)
      throws Http2Exception {
    control(1);
    super.onPriorityRead(ctx, streamId, dependency, weight, exclusive);
  }

  @Override
  public void onWindowUpdateRead(ChannelHandlerContext ctx, int streamId, int increment)
      throws Http2Exception {
    control(1);
    super.onWindowUpdateRead(ctx, streamId, increment);
  }

  @Override
  public void onUnknownFrame(
      ChannelHandlerContext ctx, byte type, int streamId, Http2Flags flags, ByteBuf payload)
      throws Http2Exception {
    control(1);
    super.onUnknownFrame(ctx, type, streamId, flags, payload);
  }

  /** Counts a frame; if it is acknowledged, that has been written and so taken off before. */
  private void control(int frames) throws Http2Exception {
    long now = System.nanoTime();
    if (now - intervalStart > INTERVAL_NANOS) {
      intervalStart = now;
      surplus = 0;
    }
    surplus += frames;
    if (surplus > MAX_CONTROL_FRAMES) {
      throw Http2Exception.connectionError(
          Http2Error.ENHANCE_YOUR_CALM, "more control frames than traffic");
    }
  }

  private void passed() {
    surplus = Math.max(0, surplus - FRAMES_PER_WRITE);
  }

  /** Sees what is written. */
  private final class Sent extends ChannelOutboundHandlerAdapter {
    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
      passed();
      var unused = ctx.write(message, promise);
    }
  }
}
