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
 * Makes a connection that Vert.x has opened to an origin strict: everything here that depends on
 * how Vert.x is built inside. {@code OriginConnectionTest} has a test for each such thing.
 *
 * <ul>
 *   <li>A connection of HTTP/1 has a handler {@code codec} of type {@link HttpClientCodec}, which
 *       {@link OriginCodec} replaces; one of HTTP/2 has an {@link Http2ConnectionHandler} whose
 *       frames go to a listener, which {@link InterimFrames} decorates.
 *   <li>Vert.x calls the connection handler of a client on the connection's event loop, before the
 *       first request.
 *   <li>It tells a request of a response with status 103, and goes on waiting for the final one.
 *   <li>It drops what a paused response has not delivered when its connection is closed, so the
 *       connection is not closed by the end of its input alone.
 *   <li>It closes a connection of HTTP/1 at the end of a response whose headers have {@code
 *       Connection: close} at that moment ({@link OriginHeaders#retire}).
 * </ul>
 */
final class OriginConnection {
  private static final String CODEC = "codec";

  private OriginConnection() {}

  /**
   * To be called for each connection, before it has a request.
   *
   * @param surplus called when the origin sends bytes that belong to no request
   * @throws IllegalStateException if this is not how this version of Vert.x is built
   */
  static void makeStrict(HttpConnection connection, int maxHeaderSize, Runnable surplus) {
    if (!(connection instanceof HttpClientConnectionInternal client)) {
      throw changed("a connection is a " + connection.getClass().getName());
    }
    ChannelHandlerContext vertx = client.channelHandlerContext();
    if (!vertx.executor().inEventLoop()) {
      throw changed("connections are announced outside their event loop");
    }
    if (vertx.handler() instanceof Http2ConnectionHandler http2) {
      Http2ConnectionDecoder decoder = http2.decoder();
      decoder.frameListener(new InterimFrames(decoder.frameListener()));
      return;
    }
    ChannelPipeline pipeline = vertx.pipeline();
    ChannelHandler codec = pipeline.get(CODEC);
    if (!(codec instanceof HttpClientCodec)) {
      throw changed("the pipeline is " + pipeline.toMap());
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

  private static IllegalStateException changed(String how) {
    return new IllegalStateException(
        "This version of Vert.x builds connections in another way, so OriginConnection can't make"
            + " them strict: "
            + how);
  }
}
