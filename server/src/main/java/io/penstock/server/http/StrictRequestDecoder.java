package io.penstock.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.LastHttpContent;
import io.penstock.server.vertx.VertxInternals;
import io.vertx.core.http.HttpServerOptions;
import java.util.List;

/**
 * A decoder that extends that of Vert.x and rejects requests with folded header lines as malformed.
 * Confined to one connection.
 *
 * <p>It holds bytes that follow a request for another protocol until the response decides what they
 * are. After a 101, the decoder is removed from the pipeline and passes them on unchanged. They are
 * never decoded: a client that sends them early expects the other protocol, and an attacker who
 * controls what the client tunnels could smuggle requests in them.
 */
final class StrictRequestDecoder extends VertxInternals.RequestDecoder {
  /** The number of held bytes from which on the connection is not read. */
  private static final int MAX_HELD_BYTES = 64 << 10;

  private final FoldedLineScan scan = new FoldedLineScan();
  private boolean folded;
  private boolean withinBody;
  private boolean requestsSwitch;
  private boolean holding;

  StrictRequestDecoder(HttpServerOptions options) {
    super(options);
  }

  /**
   * Creates a decoder for what follows a request that another decoder has read.
   *
   * @param previous the head of that request
   */
  static StrictRequestDecoder after(HttpRequest previous, HttpServerOptions options) {
    StrictRequestDecoder decoder = new StrictRequestDecoder(options);
    decoder.holding = requestsSwitch(previous);
    return decoder;
  }

  /** Returns whether bytes follow a request for another protocol that has no response yet. */
  boolean holdsBytes() {
    return holding && actualReadableBytes() > 0;
  }

  /** Continues to decode requests; called after the last response, if no bytes are held. */
  void resume() {
    holding = false;
  }

  private static boolean requestsSwitch(HttpRequest request) {
    HttpHeaders headers = request.headers();
    return request.method().equals(HttpMethod.CONNECT)
        || (headers.contains(HttpHeaderNames.UPGRADE)
            && headers.containsValue(HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE, true));
  }

  /** Reads at most one head per call, and nothing after it. */
  @Override
  protected void decode(ChannelHandlerContext connection, ByteBuf bytes, List<Object> messages)
      throws Exception {
    if (holding) {
      return;
    }
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
      requestsSwitch = requestsSwitch(head);
    }
    withinBody = !(messages.get(messages.size() - 1) instanceof LastHttpContent);
    holding = requestsSwitch && !withinBody;
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext connection) throws Exception {
    if (!holding) {
      super.channelReadComplete(connection);
      return;
    }
    // The decoder of Netty would read on, because it has not decoded anything.
    if (actualReadableBytes() >= MAX_HELD_BYTES) {
      connection.channel().config().setAutoRead(false);
    }
    connection.fireChannelReadComplete();
  }

  @Override
  protected void handlerRemoved0(ChannelHandlerContext connection) throws Exception {
    Channel channel = connection.channel();
    if (holding && channel.isActive()) {
      channel.config().setAutoRead(true);
    }
    super.handlerRemoved0(connection);
  }
}
