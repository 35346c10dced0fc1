package io.penstock.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.LastHttpContent;
import io.penstock.server.vertx.VertxInternals;
import io.vertx.core.http.HttpServerOptions;
import java.util.List;

/**
 * A decoder that extends that of Vert.x and rejects requests with folded header lines as malformed.
 */
final class StrictRequestDecoder extends VertxInternals.RequestDecoder {
  private final FoldedLineScan scan = new FoldedLineScan();
  private boolean folded;
  private boolean withinBody;

  StrictRequestDecoder(HttpServerOptions options) {
    super(options);
  }

  /** Reads at most one head per call, and nothing after it. */
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
            DecoderResult.failure(new IllegalArgumentException("folded header line")));
      }
      folded = false;
      scan.begin();
    }
    withinBody = !(messages.get(messages.size() - 1) instanceof LastHttpContent);
  }
}
