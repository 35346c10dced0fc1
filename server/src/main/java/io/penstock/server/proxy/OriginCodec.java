package io.penstock.server.proxy;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.CombinedChannelDuplexHandler;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestEncoder;
import io.netty.util.ReferenceCountUtil;

/** HTTP/1 as it is spoken to an origin, one exchange after the other. Belongs to one connection. */
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
      // Its answer could not be told from what is left of another one's.
      ReferenceCountUtil.release(message);
      promise.tryFailure(new IllegalStateException("the connection is not free"));
      var unused = connection.close();
      return;
    }
    super.write(connection, message, promise);
  }
}
