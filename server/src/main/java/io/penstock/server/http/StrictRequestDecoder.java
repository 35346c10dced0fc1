package io.penstock.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.PrematureChannelClosureException;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.penstock.server.vertx.VertxInternals;
import io.vertx.core.http.HttpServerOptions;
import java.util.List;

/**
 * A decoder that extends that of Vert.x and rejects requests with folded lines in their headers or
 * trailers as malformed. Confined to one connection.
 *
 * <p>It holds bytes that follow a request for another protocol until the response decides what they
 * are. After a 101, the decoder is removed from the pipeline and passes them on unchanged. They are
 * never decoded: a client that sends them early expects the other protocol, and an attacker who
 * controls what the client tunnels could smuggle requests in them.
 */
final class StrictRequestDecoder extends VertxInternals.RequestDecoder {
  /** The method and the target of a request whose first line can't be read. */
  static final String UNKNOWN = "-";

  private static final HttpMethod UNKNOWN_METHOD = HttpMethod.valueOf(UNKNOWN);

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

  /** Returns whether bytes follow a request for another protocol that has no response yet. */
  boolean hasBufferedBytes() {
    return holding && actualReadableBytes() > 0;
  }

  /** Returns whether a part of a head has been read. */
  boolean isWithinHead() {
    return !withinBody && !holding && (scan.isWithinHead() || actualReadableBytes() > 0);
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
    int from = bytes.readerIndex();
    super.decode(connection, bytes, messages);
    int to = bytes.readerIndex();
    if (!withinBody) {
      folded |= scan.finds(bytes, from, to);
    } else if (!hasContent(messages)) {
      // These are whole lines: the size of a chunk, the end of a chunk or trailers.
      folded |= FoldedLineScan.isAnyFolded(bytes, from, to);
    }
    if (!messages.isEmpty()) {
      read(messages);
    }
  }

  private static boolean hasContent(List<Object> messages) {
    return !messages.isEmpty()
        && messages.get(0) instanceof HttpContent part
        && part.content().isReadable();
  }

  private void read(List<Object> messages) {
    int last = messages.size() - 1;
    withinBody = !(messages.get(last) instanceof LastHttpContent);
    if (messages.get(0) instanceof HttpRequest head) {
      if (folded) {
        head.setDecoderResult(foldedLine());
      }
      folded = false;
      scan.begin();
      requestsSwitch = requestsSwitch(head);
    } else if (folded && !withinBody) {
      LastHttpContent malformed = new DefaultLastHttpContent(Unpooled.EMPTY_BUFFER);
      malformed.setDecoderResult(foldedLine());
      ReferenceCountUtil.release(messages.set(last, malformed));
      folded = false;
    }
    holding = requestsSwitch && !withinBody;
  }

  private static DecoderResult foldedLine() {
    return DecoderResult.failure(new IllegalArgumentException("folded line"));
  }

  /**
   * An incomplete head at the end of the input is not a request: no client reads a response to it.
   */
  @Override
  protected void decodeLast(ChannelHandlerContext connection, ByteBuf bytes, List<Object> messages)
      throws Exception {
    boolean withinHead = !withinBody;
    super.decodeLast(connection, bytes, messages);
    if (withinHead) {
      messages.removeIf(StrictRequestDecoder::isIncompleteHead);
    }
  }

  private static boolean isIncompleteHead(Object message) {
    return message instanceof HttpRequest head
        && head.decoderResult().cause() instanceof PrematureChannelClosureException;
  }

  @Override
  protected HttpMessage createInvalidMessage() {
    return new DefaultFullHttpRequest(HttpVersion.HTTP_1_0, UNKNOWN_METHOD, UNKNOWN);
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
