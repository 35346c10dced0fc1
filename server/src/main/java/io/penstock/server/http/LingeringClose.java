package io.penstock.server.http;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.TimeUnit;

/**
 * Closes a connection in a way that lets the last answer arrive although the peer is still sending.
 *
 * <p>Systems reset a connection that is closed with something left to read, and a reset overtakes
 * what was sent before it. A proxy that is reset instead of being told 431 takes us for dead, and
 * lets the request pass: long headers would be a way around every limit. So only our half is closed
 * at first, and what comes is thrown away until the peer closes too, or for a while.
 */
@SuppressWarnings("FutureReturnValueIgnored") // What becomes of a close, its promise tells.
final class LingeringClose extends ChannelDuplexHandler {
  private static final long MAX_MILLIS = 2_000;

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
    context.executor().schedule(() -> context.close(), MAX_MILLIS, TimeUnit.MILLISECONDS);
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
