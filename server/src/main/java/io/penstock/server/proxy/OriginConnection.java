package io.penstock.server.proxy;

import static io.penstock.server.vertx.VertxInternals.ORIGIN_CODEC;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionAdapter;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.util.AttributeKey;
import io.penstock.server.log.RepeatedWarning;
import io.penstock.server.vertx.VertxInternals;
import io.vertx.core.http.HttpConnection;
import org.slf4j.LoggerFactory;

/**
 * Makes a connection that Vert.x has opened to an origin strict: a response can only answer the
 * request that was sent before it, and a connection with surplus bytes is never reused. {@link
 * OriginResponseDecoder} ensures this for HTTP/1; {@link OriginFrames} checks the frames of HTTP/2.
 * {@code OriginConnectionTest} has a test for each of these assumptions about Vert.x:
 *
 * <ul>
 *   <li>An HTTP/1 connection has a handler {@code codec} of type {@link HttpClientCodec}, which
 *       {@link OriginCodec} replaces. An HTTP/2 connection has an {@link Http2ConnectionHandler}
 *       with a frame listener, which {@link OriginFrames} decorates.
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
  private static final RepeatedWarning NO_STREAMS =
      new RepeatedWarning(LoggerFactory.getLogger(OriginConnection.class));

  private static final AttributeKey<Boolean> FAILED =
      AttributeKey.valueOf(OriginConnection.class, "FAILED");

  private OriginConnection() {}

  /**
   * Makes a connection strict; must be called for each connection before its first request.
   *
   * @param surplus called when the origin sends bytes that belong to no request
   * @throws IllegalStateException if the internals of this version of Vert.x differ
   */
  static void makeStrict(HttpConnection connection, int maxHeaderSize, Runnable surplus) {
    ChannelHandlerContext vertx = VertxInternals.ofOrigin(connection);
    if (!vertx.executor().inEventLoop()) {
      throw VertxInternals.changed("the connection handler runs outside the event loop");
    }
    if (vertx.handler() instanceof Http2ConnectionHandler http2) {
      Http2FrameListener frames = OriginFrames.decorate(http2);
      rejectStreamsAfterEnd(http2.connection(), vertx.channel());
      if (connection.remoteSettings().getMaxConcurrentStreams() == 0) {
        closeWithoutStreams(connection, vertx, frames);
      }
      return;
    }
    ChannelPipeline pipeline = vertx.pipeline();
    ChannelHandler codec = pipeline.get(ORIGIN_CODEC);
    if (!(codec instanceof HttpClientCodec)) {
      throw VertxInternals.changed("the pipeline to an origin is " + pipeline.toMap());
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
            return VertxInternals.isBusy(connection);
          }
        };
    vertx.channel().config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
    pipeline.replace(
        ORIGIN_CODEC,
        ORIGIN_CODEC,
        new OriginCodec(new OriginResponseDecoder(maxHeaderSize, listener)));
  }

  /**
   * Rejects new streams after this side has sent GOAWAY, as it does after an error of the
   * connection, and after the connection is closed. Netty would create them, and whether they were
   * sent would be unknown. After a GOAWAY of the origin, Netty rejects them itself.
   */
  private static void rejectStreamsAfterEnd(Http2Connection streams, Channel channel) {
    streams.addListener(
        new Http2ConnectionAdapter() {
          @Override
          public void onGoAwaySent(int lastStream, long error, ByteBuf debugData) {
            markFailed(channel);
            streams.local().maxActiveStreams(0);
          }
        });
    channel.closeFuture().addListener(closed -> streams.local().maxActiveStreams(0));
  }

  /**
   * Marks an HTTP/2 connection as failed. Vert.x fails the requests in flight before it removes the
   * connection from its pool, so the pool may still return it for a short time.
   */
  static void markFailed(HttpConnection connection) {
    markFailed(VertxInternals.ofOrigin(connection).channel());
  }

  private static void markFailed(Channel channel) {
    channel.attr(FAILED).set(true);
  }

  /** Returns whether a connection of the pool can be used. Can be called on any thread. */
  static boolean isUsable(HttpConnection connection) {
    Channel channel = VertxInternals.ofOrigin(connection).channel();
    return channel.isActive() && !channel.hasAttr(FAILED);
  }

  /**
   * Returns whether a failure means that a request was never sent: its HTTP/2 stream could not be
   * created. A stream that the origin rejects fails with another exception.
   */
  static boolean isUnsent(Throwable failure) {
    return failure instanceof Http2Exception.StreamException rejected
        && rejected.error() == Http2Error.REFUSED_STREAM;
  }

  /**
   * Closes an HTTP/2 connection that allows no streams. Vert.x would keep the request that it was
   * opened for in its queue, and open a new connection for it every second, even if that request
   * has been abandoned. Therefore one stream is reported as allowed to Vert.x, and the request
   * fails.
   */
  private static void closeWithoutStreams(
      HttpConnection connection, ChannelHandlerContext vertx, Http2FrameListener frames) {
    NO_STREAMS.warn(
        "The origin allows no requests on an HTTP/2 connection (SETTINGS_MAX_CONCURRENT_STREAMS is"
            + " 0); the connection is closed and the client gets 502");
    // When this runs, the connection is in the pool.
    vertx
        .executor()
        .execute(
            () -> {
              try {
                frames.onSettingsRead(vertx, new Http2Settings().maxConcurrentStreams(1));
              } catch (Http2Exception e) {
                throw new IllegalStateException(e);
              } finally {
                connection.close();
              }
            });
  }
}
