package io.penstock.server.proxy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http.HttpConstants;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseDecoder;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.util.AsciiString;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decodes the responses of one HTTP/1 connection: exactly one final response to each request, and
 * no further bytes. Confined to one event loop.
 *
 * <pre>
 *            request written            final response decoded
 *     IDLE ------------------> BUSY ------------------------------> COMPLETE
 *      ^                        | 101 that was requested                |
 *      |                        v                                       | all input is read
 *      |                     SWITCHED                                   |
 *      +----------------------------------------------------------------+
 * </pre>
 *
 * <p>A byte that arrives in IDLE or COMPLETE belongs to no request. It is dropped, and the
 * connection is closed, after the response if there is one. The end of a response is passed on only
 * when all input that arrived together with it has been read, because Vert.x then gives the
 * connection to the next request.
 *
 * <p>Informational responses never end an exchange. Vert.x supports 100 and 103 and treats any
 * other as the final response. Therefore all but 100 and 101 are passed on as 103, with the
 * original status in a header ({@link InterimStatus}). Their number is limited.
 */
final class OriginResponseDecoder extends HttpResponseDecoder {
  private static final int CONTINUE = 100;
  private static final int SWITCHING_PROTOCOLS = 101;
  private static final int FIRST_FINAL = 200;
  private static final int NO_CONTENT = 204;
  private static final char DELETE = 0x7f;

  private enum DecoderState {
    IDLE,
    BUSY,
    COMPLETE,
    SWITCHED,
    /** The connection will be closed; input is dropped. */
    RETIRED
  }

  private final ResponseListener listener;
  private DecoderState state = DecoderState.IDLE;
  private boolean withoutBody;
  private boolean complete;
  private int interimResponses;
  private Set<String> upgrades = Set.of();
  private ByteBuf input = Unpooled.EMPTY_BUFFER;
  private @Nullable OriginHeaders headers;
  private @Nullable LastHttpContent end;

  /** Handles events of a connection. */
  interface ResponseListener {
    /** Called when bytes arrive that belong to no request. */
    void surplus();

    /** Closes the connection. */
    void close();

    /**
     * Returns whether an exchange is still in flight on the connection, even if only its client
     * reads slowly.
     */
    boolean isBusy();
  }

  OriginResponseDecoder(int maxHeaderSize, ResponseListener listener) {
    super(
        new HttpDecoderConfig()
            .setMaxHeaderSize(maxHeaderSize)
            .setHeadersFactory(OriginHeaders.FACTORY));
    this.listener = listener;
  }

  /** Called before a request is written. Returns false if the connection can't be used for it. */
  boolean begin(HttpRequest request) {
    if (state != DecoderState.IDLE) {
      state = DecoderState.RETIRED;
      return false;
    }
    state = DecoderState.BUSY;
    withoutBody = request.method().equals(HttpMethod.HEAD);
    upgrades =
        request.headers().contains(HttpHeaderNames.UPGRADE)
            ? names(request.headers().getAll(HttpHeaderNames.UPGRADE))
            : Set.of();
    headers = null;
    complete = false;
    interimResponses = 0;
    return true;
  }

  private static Set<String> names(List<String> lists) {
    return Set.copyOf(
        Arrays.asList(String.join(",", lists).toLowerCase(Locale.ROOT).split("\\s*,\\s*")));
  }

  @Override
  protected void decode(ChannelHandlerContext connection, ByteBuf bytes, List<Object> messages)
      throws Exception {
    if (state == DecoderState.BUSY) {
      input = bytes;
      super.decode(connection, bytes, messages);
      input = Unpooled.EMPTY_BUFFER;
      if (!messages.isEmpty()) {
        inspect(messages, bytes.isReadable());
        if (state == DecoderState.SWITCHED) {
          // A tunnel ends when its input ends.
          connection.channel().config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, false);
        }
      }
    } else if (state == DecoderState.SWITCHED) {
      super.decode(connection, bytes, messages);
    } else {
      drop(bytes);
    }
  }

  /**
   * Inspects the decoded messages; one call decodes at most the rest of one response.
   *
   * @param more whether bytes follow that have already been read
   */
  private void inspect(List<Object> messages, boolean more) {
    int last = messages.size() - 1;
    if (((HttpObject) messages.get(last)).decoderResult().isFailure()) {
      state = DecoderState.RETIRED;
      return;
    }
    if (messages.get(0) instanceof HttpResponse response) {
      int status = response.status().code();
      if (status == SWITCHING_PROTOCOLS) {
        state = DecoderState.SWITCHED;
        return;
      }
      if (status < FIRST_FINAL) {
        if (status != CONTINUE) {
          InterimStatus.hide(response);
        }
        return;
      }
      headers = (OriginHeaders) response.headers();
      if (!isKeepAlive(response)) {
        headers.retire();
      }
      // Bytes after the head of a chunked response may be only a part of the size of a chunk.
      if (last > 0 || (more && headers.contains(HttpHeaderNames.CONTENT_LENGTH))) {
        headers.setPartOfMore();
      }
    }
    if (messages.get(last) instanceof LastHttpContent content) {
      messages.remove(last);
      end = content;
      complete = true;
      state = DecoderState.COMPLETE;
    }
  }

  private static boolean isKeepAlive(HttpResponse response) {
    // Most responses have no Connection header, and are kept alive by default.
    boolean isDefault =
        response.protocolVersion().isKeepAliveDefault()
            && !response.headers().contains(HttpHeaderNames.CONNECTION);
    return isDefault || HttpUtil.isKeepAlive(response);
  }

  private void drop(ByteBuf bytes) {
    if (!bytes.isReadable()) {
      return;
    }
    bytes.skipBytes(bytes.readableBytes());
    if (state == DecoderState.RETIRED) {
      return;
    }
    listener.surplus();
    if (state == DecoderState.IDLE) {
      state = DecoderState.RETIRED;
      listener.close();
    } else if (headers != null) {
      headers.retire();
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext connection) throws Exception {
    LastHttpContent content = takeEnd();
    if (content != null) {
      connection.fireChannelRead(content);
    }
    super.channelReadComplete(connection);
  }

  @Override
  protected void decodeLast(ChannelHandlerContext connection, ByteBuf bytes, List<Object> messages)
      throws Exception {
    super.decodeLast(connection, bytes, messages);
    complete |= !messages.isEmpty() && messages.get(messages.size() - 1) instanceof LastHttpContent;
    LastHttpContent content = takeEnd();
    if (content != null) {
      messages.add(content);
    }
    state = DecoderState.RETIRED;
  }

  /**
   * Handles the end of the origin's input. The client may still be reading a complete response: the
   * connection stays open until then, because Vert.x drops pending data when it is closed.
   */
  @Override
  public void userEventTriggered(ChannelHandlerContext connection, Object event) throws Exception {
    super.userEventTriggered(connection, event);
    if (event instanceof ChannelInputShutdownEvent) {
      if (complete && headers != null && listener.isBusy()) {
        headers.retire();
        // The connection has no more traffic, and the timeouts of the client apply.
        if (connection.pipeline().get(IdleStateHandler.class) != null) {
          connection.pipeline().remove(IdleStateHandler.class);
        }
      } else {
        listener.close();
      }
    }
  }

  /** Returns the end of a response without surplus bytes; the connection is free afterwards. */
  private @Nullable LastHttpContent takeEnd() {
    LastHttpContent content = end;
    if (content != null) {
      end = null;
      state = headers != null && headers.isRetired() ? DecoderState.RETIRED : DecoderState.IDLE;
    }
    return content;
  }

  @Override
  protected void handlerRemoved0(ChannelHandlerContext connection) throws Exception {
    if (end != null) {
      end.release();
      end = null;
    }
    super.handlerRemoved0(connection);
  }

  /** Replaces a reason phrase with control characters, which a terminal or log may interpret. */
  @Override
  protected HttpMessage createMessage(String[] statusLine) {
    if (!isStatus(statusLine[1])) {
      throw new IllegalArgumentException("status must be from 100 to 999: " + statusLine[1]);
    }
    if (hasControl(statusLine[2])) {
      return super.createMessage(
          new String[] {statusLine[0], statusLine[1], standardReason(statusLine[1])});
    }
    return super.createMessage(statusLine);
  }

  private static String standardReason(String status) {
    return HttpResponseStatus.valueOf(Integer.parseInt(status)).reasonPhrase();
  }

  /**
   * Returns whether a reason phrase contains a control character other than a tab (RFC 9112, 4).
   */
  private static boolean hasControl(String phrase) {
    for (int i = 0; i < phrase.length(); i++) {
      char c = phrase.charAt(i);
      if ((c < ' ' && c != '\t') || c == DELETE) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether a status has three digits and does not start with 0. */
  static boolean isStatus(CharSequence text) {
    return text.length() == 3
        && isDigit(text.charAt(0))
        && isDigit(text.charAt(1))
        && isDigit(text.charAt(2))
        && text.charAt(0) != '0';
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  /**
   * Called for each line of a head or trailer, right after it was read. Netty ends a name at
   * whitespace, and ignores everything from there to the colon. RFC 9112 (5.1) requires proxies to
   * remove whitespace before the colon; within a name, it is invalid.
   */
  @Override
  protected AsciiString splitHeaderName(byte[] line, int start, int length) {
    if (line[start + length] != HttpConstants.COLON && !hasColonAfterWhitespace(length)) {
      throw new IllegalArgumentException(
          "a header name must not contain whitespace and must be followed by a colon");
    }
    AsciiString common = CommonHeaderNames.find(line, start, length);
    return common == null ? super.splitHeaderName(line, start, length) : common;
  }

  /** Looks at the input, because the end of the line in Netty's buffer is not known here. */
  private boolean hasColonAfterWhitespace(int nameLength) {
    int end = input.readerIndex() - 1;
    int start = input.indexOf(end, 0, HttpConstants.LF) + 1;
    for (int i = start + nameLength; i < end; i++) {
      byte next = input.getByte(i);
      if (next != HttpConstants.SP && next != HttpConstants.HT) {
        return next == HttpConstants.COLON;
      }
    }
    return false;
  }

  /**
   * Called once for each head, before its framing is used. An exception makes the head malformed.
   */
  @Override
  protected boolean isContentAlwaysEmpty(HttpMessage message) {
    HttpResponse response = (HttpResponse) message;
    checkFraming(response);
    int status = response.status().code();
    if (status == SWITCHING_PROTOCOLS) {
      checkSwitch(response.headers());
      return true;
    }
    if (status < FIRST_FINAL && ++interimResponses > InterimStatus.MAX_RESPONSES) {
      throw new IllegalArgumentException(InterimStatus.tooMany());
    }
    if (status < FIRST_FINAL || status == NO_CONTENT) {
      response.headers().remove(HttpHeaderNames.CONTENT_LENGTH);
      return true;
    }
    return withoutBody || status == HttpResponseStatus.NOT_MODIFIED.code();
  }

  private void checkSwitch(HttpHeaders response) {
    String upgrade = response.get(HttpHeaderNames.UPGRADE);
    if (upgrade == null || !upgrades.contains(upgrade.toLowerCase(Locale.ROOT))) {
      throw new IllegalArgumentException("upgrade must be one that was requested: " + upgrade);
    }
  }

  /**
   * Checks the framing of every response, although some have no body whatever their headers are: a
   * length and chunks contradict each other in those too, and clients use the length.
   */
  private static void checkFraming(HttpResponse response) {
    HttpHeaders headers = response.headers();
    if (!headers.contains(HttpHeaderNames.TRANSFER_ENCODING)) {
      return;
    }
    List<String> codings = headers.getAll(HttpHeaderNames.TRANSFER_ENCODING);
    if (codings.size() > 1 || !HttpHeaderValues.CHUNKED.contentEqualsIgnoreCase(codings.get(0))) {
      throw new IllegalArgumentException("transfer-encoding must be chunked: " + codings);
    }
    if (headers.contains(HttpHeaderNames.CONTENT_LENGTH)) {
      throw new IllegalArgumentException(
          "a response must not have both Content-Length and Transfer-Encoding");
    }
    if (!response.protocolVersion().equals(HttpVersion.HTTP_1_1)) {
      throw new IllegalArgumentException(
          "chunked encoding requires HTTP/1.1: " + response.protocolVersion());
    }
  }
}
