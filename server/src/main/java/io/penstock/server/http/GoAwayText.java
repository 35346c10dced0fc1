package io.penstock.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http2.Http2ConnectionAdapter;
import io.netty.handler.codec.http2.Http2ConnectionHandler;

/**
 * Removes the text from the GOAWAY frames that a peer gets. Netty sends the message of the
 * exception that closes a connection, which describes internals and quotes bytes. Confined to one
 * connection.
 *
 * <p>As a handler behind that of TLS, it does so when the first bytes arrive: at that time the
 * protocol has been negotiated.
 */
final class GoAwayText extends ChannelInboundHandlerAdapter {
  /** Removes the text if the connection uses HTTP/2. */
  static void remove(ChannelPipeline pipeline) {
    Http2ConnectionHandler http2 = pipeline.get(Http2ConnectionHandler.class);
    if (http2 != null) {
      remove(http2);
    }
  }

  /** Removes the text from the frames of a connection. */
  static void remove(Http2ConnectionHandler http2) {
    http2
        .connection()
        .addListener(
            new Http2ConnectionAdapter() {
              @Override
              public void onGoAwaySent(int lastStream, long error, ByteBuf text) {
                // Called before the frame is written.
                text.skipBytes(text.readableBytes());
              }
            });
  }

  @Override
  public void channelRead(ChannelHandlerContext connection, Object message) {
    remove(connection.pipeline());
    connection.pipeline().remove(this);
    connection.fireChannelRead(message);
  }
}
