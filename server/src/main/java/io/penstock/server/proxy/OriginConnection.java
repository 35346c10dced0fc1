package io.penstock.server.proxy;

import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http2.Http2ConnectionDecoder;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.impl.HttpClientConnectionInternal;

/**
 * Makes a connection that Vert.x has opened to an origin strict. All code that depends on the
 * internals of Vert.x is in this class, and {@code OriginConnectionTest} has a test for each of
 * these assumptions:
 *
 * <ul>
 *   <li>An HTTP/1 connection has a handler {@code codec} of type {@link HttpClientCodec}, which
 *       {@link OriginCodec} replaces. An HTTP/2 connection has an {@link Http2ConnectionHandler}
 *       with a frame listener, which {@link InterimFrames} decorates.
 *   <li>Vert.x calls the connection handler of a client on the connection's event loop, before the
 *       first request.
 *   <li>It reports a response with status 103 to the request, and keeps waiting for the final one.
 *   <li>It drops the pending data of a paused response when the connection is closed. Therefore the
 *       end of the input alone does not close the connection.
 *   <li>It closes an HTTP/1 connection at the end of a response whose headers contain {@code
 *       Connection: close} at that time ({@link OriginHeaders#retire}).
 * </ul>
 */
final class OriginConnection {
  private static final String CODEC = "codec";

  private OriginConnection() {}

  /**
   * Makes a connection strict; must be called for each connection before its first request.
   *
   * @param surplus called when the origin sends bytes that belong to no request
   * @throws IllegalStateException if the internals of this version of Vert.x differ
   */
  static void makeStrict(HttpConnection connection, int maxHeaderSize, Runnable surplus) {
    if (!(connection instanceof HttpClientConnectionInternal client)) {
      throw incompatible("the connection is a " + connection.getClass().getName());
    }
    ChannelHandlerContext vertx = client.channelHandlerContext();
    if (!vertx.executor().inEventLoop()) {
      throw incompatible("the connection handler runs outside the event loop");
    }
    if (vertx.handler() instanceof Http2ConnectionHandler http2) {
      Http2ConnectionDecoder decoder = http2.decoder();
      decoder.frameListener(new InterimFrames(decoder.frameListener()));
      return;
    }
    ChannelPipeline pipeline = vertx.pipeline();
    ChannelHandler codec = pipeline.get(CODEC);
    if (!(codec instanceof HttpClientCodec)) {
      throw incompatible("the pipeline is " + pipeline.toMap());
    }
    OriginResponseDecoder.ResponseListener listener =
        new OriginResponseDecoder.ResponseListener() {
          @Override
          public void surplus() {
            surplus.run();
          }

          @Override
          public void close() {
            connection.close();
          }

          @Override
          public boolean isBusy() {
            return client.activeStreams() > 0;
          }
        };
    vertx.channel().config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
    pipeline.replace(
        CODEC, CODEC, new OriginCodec(new OriginResponseDecoder(maxHeaderSize, listener)));
  }

  private static IllegalStateException incompatible(String detail) {
    return new IllegalStateException(
        "The internals of this version of Vert.x have changed, so OriginConnection can't make"
            + " connections strict: "
            + detail);
  }
}
