package io.penstock.server.http;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Fails a connection to an HTTP/2 server that sends no SETTINGS within the connect timeout, counted
 * from the end of the TLS handshake. Vert.x waits for SETTINGS without a timeout, and meanwhile the
 * connection occupies a place in its pool. Also installs {@link GoAwayText}. Confined to one
 * connection.
 *
 * <p>When a connection and its TLS session are established, Vert.x removes this handler, like all
 * others except TLS, and then adds those of HTTP. A connection error makes it fail the attempt.
 * {@code ProxyHttp2SettingsTest} checks both.
 */
final class SettingsTimeout extends ChannelInboundHandlerAdapter {
  @Override
  public void handlerRemoved(ChannelHandlerContext handler) {
    Channel connection = handler.channel();
    if (connection.isActive()) {
      handler.executor().execute(() -> start(connection));
    }
  }

  private static void start(Channel connection) {
    GoAwayText.remove(connection.pipeline());
    if (awaitsSettings(connection)) {
      Future<?> timer =
          connection
              .eventLoop()
              .schedule(
                  () -> expire(connection),
                  connection.config().getConnectTimeoutMillis(),
                  TimeUnit.MILLISECONDS);
      connection.closeFuture().addListener(closed -> timer.cancel(false));
    }
  }

  private static void expire(Channel connection) {
    if (awaitsSettings(connection)) {
      connection
          .pipeline()
          .fireExceptionCaught(
              Http2Exception.connectionError(Http2Error.SETTINGS_TIMEOUT, "no SETTINGS in time"));
    }
  }

  private static boolean awaitsSettings(Channel connection) {
    Http2ConnectionHandler http2 = connection.pipeline().get(Http2ConnectionHandler.class);
    return http2 != null && !http2.decoder().prefaceReceived();
  }
}
