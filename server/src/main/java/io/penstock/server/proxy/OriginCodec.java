package io.penstock.server.proxy;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.CombinedChannelDuplexHandler;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestEncoder;
import io.netty.util.ReferenceCountUtil;

/**
 * The HTTP/1 codec of a connection to an origin, which carries one exchange at a time. Confined to
 * one connection.
 */
final class OriginCodec
    extends CombinedChannelDuplexHandler<OriginResponseDecoder, HttpRequestEncoder> {
  private final OriginResponseDecoder decoder;

  OriginCodec(OriginResponseDecoder decoder) {
    super(decoder, new HttpRequestEncoder());
    this.decoder = decoder;
  }

  @Override
  public void write(ChannelHandlerContext connection, Object message, ChannelPromise promise)
      throws Exception {
    if (message instanceof HttpRequest request && !decoder.begin(request)) {
      // The response to it could not be distinguished from the rest of an earlier one.
      ReferenceCountUtil.release(message);
      promise.tryFailure(new IllegalStateException("the connection has another request in flight"));
      var unused = connection.close();
      return;
    }
    super.write(connection, message, promise);
  }
}
