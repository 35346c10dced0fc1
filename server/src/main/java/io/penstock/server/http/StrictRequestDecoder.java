package io.penstock.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.LastHttpContent;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.impl.VertxHttpRequestDecoder;
import java.util.List;

/** Vert.x's decoder, to which a request with folded lines is a malformed one. */
final class StrictRequestDecoder extends VertxHttpRequestDecoder {
  private final FoldedLineScan scan = new FoldedLineScan();
  private boolean folded;
  private boolean withinBody;

  StrictRequestDecoder(HttpServerOptions options) {
    super(options);
  }

  /** A call reads of one head at most, and of nothing else with it. */
  @Override
  protected void decode(ChannelHandlerContext connection, ByteBuf bytes, List<Object> messages)
      throws Exception {
    if (withinBody) {
      super.decode(connection, bytes, messages);
    } else {
      int from = bytes.readerIndex();
      super.decode(connection, bytes, messages);
      folded |= scan.finds(bytes, from, bytes.readerIndex());
    }
    if (!messages.isEmpty()) {
      read(messages);
    }
  }

  private void read(List<Object> messages) {
    if (messages.get(0) instanceof HttpRequest head) {
      if (folded) {
        head.setDecoderResult(
            DecoderResult.failure(new IllegalArgumentException("a line is folded")));
      }
      folded = false;
      scan.begin();
    }
    withinBody = !(messages.get(messages.size() - 1) instanceof LastHttpContent);
  }
}
