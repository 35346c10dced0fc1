package io.penstock.server.http;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.TimeUnit;

/**
 * Closes a connection so that the last response arrives although the peer is still sending.
 *
 * <p>Operating systems reset a connection that is closed while it has unread input, and a reset can
 * discard output that was sent before. A proxy that gets a reset instead of a 431 considers
 * Penstock down and lets the request pass, so long headers could bypass every limit. Therefore only
 * our half is closed first, and input is discarded until the peer closes its half or a timeout
 * expires.
 */
@SuppressWarnings("FutureReturnValueIgnored") // The promise reports the result.
final class LingeringClose extends ChannelDuplexHandler {
  private static final long TIMEOUT_MILLIS = 2_000;

  private boolean closing;

  @Override
  public void close(ChannelHandlerContext context, ChannelPromise promise) {
    if (!(context.channel() instanceof DuplexChannel channel)) {
      context.close(promise);
      return;
    }
    channel.closeFuture().addListener(closed -> promise.trySuccess());
    if (closing) {
      return;
    }
    closing = true;
    channel.shutdownOutput();
    channel.config().setAutoRead(true);
    context.executor().schedule(() -> context.close(), TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (closing) {
      ReferenceCountUtil.release(message);
    } else {
      context.fireChannelRead(message);
    }
  }
}
