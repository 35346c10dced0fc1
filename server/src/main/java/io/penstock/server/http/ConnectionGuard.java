package io.penstock.server.http;

import static io.penstock.server.vertx.VertxInternals.REQUEST_DECODER;
import static io.penstock.server.vertx.VertxInternals.UPGRADE_HANDLER;
import static java.util.Objects.requireNonNull;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.penstock.server.http.UnhandledRequests.UnreadRequest;
import io.penstock.server.vertx.VertxInternals;
import io.vertx.core.VertxException;
import io.vertx.core.http.HttpConnection;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Closes a connection whose client does not complete the headers of a request in time, sends a
 * malformed body or stays idle for too long; where possible, it gets a response first. Confined to
 * the event loop of one connection. The timeouts of Vert.x only detect clients that send nothing at
 * all: one byte now and then would keep a connection open forever. Also, Vert.x closes connections
 * with malformed bodies without a response.
 *
 * <p>The guard starts as the first handler of a connection, before the protocol is known, and the
 * timeout starts with the connection. When Vert.x reports the connection, {@link #attach} moves the
 * guard behind the decoder, where it sees requests start and end.
 *
 * <p>Without TLS, Vert.x reports a connection only when its first request arrives. The guard
 * therefore watches Vert.x detect the protocol, and then installs its handlers before Vert.x reads
 * the first line.
 */
final class ConnectionGuard extends ChannelDuplexHandler {
  private final GuardedListener listener;
  private final Connections connections;
  private final @Nullable HttpConnection client;
  private boolean protocolKnown;

  /** Whether a byte was passed to Vert.x before the protocol was known. */
  private boolean sawByte;

  /** Whether a whole line was passed to Vert.x before the protocol was known. */
  private boolean sawLine;

  private @Nullable Future<?> deadline;
  private boolean attached;
  private boolean withinRequest;
  private boolean sawRequest;
  private boolean withinResponse;

  /** Whether further input is discarded because the position in the stream is lost. */
  private boolean discarding;

  /** Whether the connection is closed after the responses to the requests that have been read. */
  private boolean closesAfterResponses;

  /** The head of the last request that has been read. */
  private @Nullable HttpRequest head;

  /** The number of requests whose responses are not complete. */
  private int pendingResponses;

  /** Whether bytes of the next request arrived while a response was pending. */
  private boolean nextHeadStarted;

  private @Nullable IdleCheck idle;
  private @Nullable StrictRequestDecoder decoder;
  private @Nullable TunnelStart tunnel;

  /** Creates the guard of a connection that Vert.x has not reported yet. */
  ConnectionGuard(GuardedListener listener) {
    this(listener, null);
  }

  private ConnectionGuard(GuardedListener listener, @Nullable HttpConnection client) {
    this.listener = listener;
    this.connections = listener.connections();
    this.client = client;
  }

  /** Attaches a guard to a connection; must be called for each connection that a server reports. */
  static void attach(HttpConnection connection, FailedRequests failures) {
    ChannelHandlerContext http = VertxInternals.ofClient(connection);
    ConnectionGuard first = http.pipeline().get(ConnectionGuard.class);
    if (first == null) {
      return;
    }
    first.stop();
    http.pipeline().remove(first);
    if (http.handler() instanceof Http2ConnectionHandler) {
      StreamGuard.attach(http, failures, first.listener.unhandled());
      first.connections.addHttp2(connection, http.channel());
      return;
    }
    ConnectionGuard next = new ConnectionGuard(first.listener, connection);
    next.attached = true;
    next.protocolKnown = true;
    next.decoder = first.decoder;
    if (http.pipeline().get(SslHandler.class) != null) {
      next.installDecoder(http.pipeline());
    }
    http.pipeline().addBefore(http.name(), "guard", next);
    next.tunnel = new TunnelStart(http.pipeline().context(next), http);
    next.idle = IdleCheck.takeOver(http.pipeline().context(next));
    connection.exceptionHandler(
        failure -> {
          if (!next.discarding && isInternal(failure)) {
            failures.record(failure);
            next.end(http.pipeline().context(next), RawResponse.ERROR);
          }
        });
  }

  /** Returns whether a failure is an internal error, not one of the client or the network. */
  private static boolean isInternal(Throwable failure) {
    return !(failure instanceof IOException
        || failure instanceof DecoderException
        || failure instanceof VertxException);
  }

  /**
   * Passes the first bytes to Vert.x one by one until it has detected the protocol. Then handlers
   * can be added in front of those of Vert.x. With TLS, the protocol is negotiated.
   *
   * @return whether the protocol is known
   */
  private boolean detectProtocol(ChannelHandlerContext connection, ByteBuf bytes) {
    ChannelPipeline pipeline = connection.pipeline();
    ChannelHandlerContext tls = pipeline.context(SslHandler.class);
    if (tls != null) {
      pipeline.addAfter(tls.name(), null, new GoAwayText());
      return true;
    }
    while (bytes.isReadable() && VertxInternals.detectsProtocol(pipeline)) {
      sawLine |= sawByte && bytes.getByte(bytes.readerIndex()) == '\n';
      sawByte = true;
      connection.fireChannelRead(bytes.readRetainedSlice(1));
    }
    if (VertxInternals.detectsProtocol(pipeline)) {
      return false;
    }
    if (pipeline.get(UPGRADE_HANDLER) == null) {
      GoAwayText.remove(pipeline);
    } else {
      pipeline.addBefore(UPGRADE_HANDLER, null, new UpgradeCheck());
      // A line that begins like the preface of HTTP/2 has been read by the decoder of Vert.x. Its
      // request has an unsupported version, and nothing after it is decoded.
      if (!sawLine) {
        installDecoder(pipeline);
      }
    }
    return true;
  }

  /** Replaces the decoder of Vert.x before it reads the first line of a request. */
  private void installDecoder(ChannelPipeline pipeline) {
    decoder = new StrictRequestDecoder(listener.options());
    pipeline.replace(REQUEST_DECODER, REQUEST_DECODER, decoder);
  }

  /** Returns whether bytes follow a request for another protocol that has no response yet. */
  private boolean hasBufferedBytes() {
    return decoder != null && decoder.hasBufferedBytes();
  }

  @Override
  public void handlerAdded(ChannelHandlerContext connection) {
    if (!attached) {
      start(connection);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext connection, Object message) {
    if (discarding) {
      ReferenceCountUtil.release(message);
      return;
    }
    if (message == LastHttpContent.EMPTY_LAST_CONTENT) {
      // A fast path: nearly every request ends with this message.
      withinRequest = false;
      sawRequest = true;
      connection.fireChannelRead(message);
      endRequest(connection);
      return;
    }
    if (message instanceof HttpRequest request) {
      markIfMalformed(request);
      begin(request);
      withinRequest = !(message instanceof LastHttpContent);
      // After a malformed head, nothing is a request, whatever the decoder makes of it.
      discarding = request.decoderResult().isFailure();
      connection.fireChannelRead(message);
      if (!discarding && message instanceof LastHttpContent) {
        endRequest(connection);
      }
      return;
    }
    if (message instanceof HttpContent body
        && !(message instanceof HttpMessage)
        && body.decoderResult().isFailure()) {
      ReferenceCountUtil.release(message);
      rejectBody(connection, body.decoderResult().cause());
      return;
    }
    if (tunnel != null && message instanceof ByteBuf bytes) {
      tunnel.read(bytes);
      return;
    }
    if (!protocolKnown && message instanceof ByteBuf bytes) {
      protocolKnown = detectProtocol(connection, bytes);
      if (!bytes.isReadable()) {
        bytes.release();
        return;
      }
    }
    if (message instanceof HttpObject) {
      withinRequest = !(message instanceof LastHttpContent);
      sawRequest = true;
      stop();
    }
    connection.fireChannelRead(message);
    if (message instanceof LastHttpContent) {
      endRequest(connection);
    }
  }

  /** Called when the end of a request has been read and passed on. */
  private void endRequest(ChannelHandlerContext connection) {
    if (pendingResponses > 0 || decoder == null) {
      return;
    }
    if (decoder.hasBufferedBytes()) {
      // The response, which did not switch to another protocol, was written before they arrived.
      connection.flush();
      close(connection);
    } else {
      decoder.resume();
    }
  }

  /** Marks a head as malformed if Vert.x can't handle it. */
  @SuppressWarnings("ReferenceEquality") // Vert.x compares versions in the same way.
  private static void markIfMalformed(HttpRequest request) {
    HttpVersion version = request.protocolVersion();
    if (version != HttpVersion.HTTP_1_1 && version != HttpVersion.HTTP_1_0) {
      // Vert.x would respond with 501 in the version of the request.
      request.setProtocolVersion(HttpVersion.HTTP_1_1);
      markMalformed(request, "unsupported version");
    } else if (HostText.isInvalid(request.headers())) {
      markMalformed(request, "invalid host");
    }
  }

  private static void markMalformed(HttpRequest request, String reason) {
    if (request.decoderResult().isSuccess()) {
      request.setDecoderResult(DecoderResult.failure(new IllegalArgumentException(reason)));
    }
  }

  /**
   * Discards all further input after a malformed body, and closes the connection after the response
   * to its request. The responses to earlier requests are sent first.
   */
  private void rejectBody(ChannelHandlerContext connection, Throwable cause) {
    discarding = true;
    linger(connection.pipeline());
    if (pendingResponses == 0 || (pendingResponses == 1 && withinResponse)) {
      // The response has started, so the client must see that something is wrong with its request.
      connection.flush();
      close(connection);
      return;
    }
    closesAfterResponses = true;
    MalformedBodyException failure = new MalformedBodyException(cause);
    requireNonNull(head).setDecoderResult(DecoderResult.failure(failure));
    if (pendingResponses == 1) {
      VertxInternals.fail(requireNonNull(client), failure);
    } // otherwise Vert.x passes the request to its handler after the earlier responses
  }

  /** Called when the head of a request has been read. */
  private void begin(HttpRequest request) {
    head = request;
    withinRequest = true;
    sawRequest = true;
    nextHeadStarted = false;
    pendingResponses++;
    stop();
    if (connections.isDraining()) {
      connections.requestArrived();
    }
  }

  /**
   * Starts the timeout of the next request if bytes but no complete head have arrived. It starts
   * only when all earlier requests have been answered: a client may pipeline requests, and the
   * earlier ones may take long.
   */
  @Override
  public void channelReadComplete(ChannelHandlerContext connection) {
    boolean sawPartOfHead = !sawRequest || (decoder != null && decoder.isWithinHead());
    if (attached && sawPartOfHead && !withinRequest && deadline == null) {
      if (pendingResponses > 0) {
        nextHeadStarted = true;
      } else {
        beginHead(connection);
      }
    }
    sawRequest = false;
    touched();
    connection.fireChannelReadComplete();
  }

  @Override
  public void write(ChannelHandlerContext connection, Object message, ChannelPromise promise) {
    if (message == LastHttpContent.EMPTY_LAST_CONTENT) {
      responded(connection);
    } else if (message instanceof FullHttpResponse whole) {
      if (!isInterim(whole.status().code())) {
        HttpRequest request = pendingResponses == 1 ? head : null;
        responded(connection);
        if (!isLast() && ShortResponses.write(connection, request, whole, promise)) {
          touched();
          return;
        }
      }
    } else if (message instanceof LastHttpContent) {
      responded(connection);
    } else {
      withinResponse = true;
    }
    touched();
    if (isLast()) {
      writeLast(connection, message, promise);
    } else {
      var unused = connection.write(message, promise);
    }
  }

  private boolean isLast() {
    return closesAfterResponses || hasBufferedBytes() || connections.isDraining();
  }

  /**
   * Marks a response as the last one of its connection if no other is pending, and closes the
   * connection after it.
   */
  private void writeLast(ChannelHandlerContext connection, Object message, ChannelPromise promise) {
    boolean ends = pendingResponses == 0 && message instanceof LastHttpContent;
    if (message instanceof HttpResponse head
        && head.status().code() >= 200
        && pendingResponses == (ends ? 0 : 1)) {
      head.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    }
    if (!ends) {
      var unused = connection.write(message, promise);
      return;
    }
    ChannelPromise written = promise.unvoid();
    written.addListener(sent -> close(connection));
    var unused = connection.write(message, written);
  }

  /** Returns whether a status is informational, with the final response still to come. */
  private static boolean isInterim(int status) {
    return status < 200 && status != 101;
  }

  private void responded(ChannelHandlerContext connection) {
    withinResponse = false;
    if (pendingResponses > 0) {
      pendingResponses--;
    }
    if (pendingResponses > 0 || hasBufferedBytes()) {
      return;
    }
    if (decoder != null) {
      decoder.resume();
    }
    if (nextHeadStarted) {
      nextHeadStarted = false;
      beginHead(connection);
    }
  }

  private void touched() {
    if (idle != null) {
      idle.touched();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext connection) {
    stop();
    if (tunnel != null) {
      tunnel.flush();
    }
    connection.fireChannelInactive();
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext connection) {
    if (idle != null) {
      idle.stop();
    }
    if (tunnel != null) {
      tunnel.release();
    }
  }

  private void beginHead(ChannelHandlerContext connection) {
    if (connection.pipeline().get(REQUEST_DECODER) != null) {
      start(connection);
    } else {
      // The connection has switched to another protocol.
      attached = false;
    }
  }

  private void start(ChannelHandlerContext connection) {
    deadline =
        connection
            .executor()
            .schedule(
                () -> end(connection, RawResponse.TIMEOUT),
                connections.headTimeoutMillis(),
                TimeUnit.MILLISECONDS);
  }

  private void stop() {
    if (deadline != null) {
      deadline.cancel(false);
      deadline = null;
    }
  }

  private void end(ChannelHandlerContext connection, RawResponse response) {
    discarding = true;
    ChannelPipeline pipeline = connection.pipeline();
    boolean next = !withinResponse && pendingResponses == (withinRequest ? 1 : 0);
    // The decoder is behind TLS and in front of the encoder, which must not process this response.
    ChannelHandlerContext codec = pipeline.context(REQUEST_DECODER);
    if (!next || (codec == null && pipeline.get(SslHandler.class) != null)) {
      // The client would read this response as a part of another one, or as the response to another
      // request. A response that has already been written must still be sent.
      connection.flush();
      close(connection);
      return;
    }
    linger(pipeline);
    boolean unread = !withinRequest;
    (codec == null ? pipeline.firstContext() : codec)
        .writeAndFlush(response.bytes())
        .addListener(
            sent -> {
              if (unread && sent.isSuccess()) {
                record(connection.channel(), response);
              }
            })
        .addListener(ChannelFutureListener.CLOSE);
  }

  private void record(Channel connection, RawResponse response) {
    listener
        .unhandled()
        .responded(UnreadRequest.of(connection, null, response.status(), response.bodyBytes()));
  }

  private static void close(ChannelHandlerContext connection) {
    linger(connection.pipeline());
    var unused = connection.close();
  }

  private static void linger(ChannelPipeline pipeline) {
    if (pipeline.get(LingeringClose.class) == null) {
      pipeline.addFirst(new LingeringClose());
    }
  }
}
