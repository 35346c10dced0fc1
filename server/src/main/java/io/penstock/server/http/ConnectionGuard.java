package io.penstock.server.http;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
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
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.vertx.core.VertxException;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.impl.Http1xOrH2CHandler;
import io.vertx.core.http.impl.HttpServerConnection;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Answers and closes a connection whose client does not come to the end of a request's headers, or
 * sends a body that is broken, or does nothing for long. Belongs to one connection. Time-outs of
 * Vert.x see only clients that send nothing at all: one byte now and then keeps a connection for
 * ever. And broken bodies it leaves without an answer.
 *
 * <p>It begins as the first handler of a connection, where there is no HTTP yet, and the clock runs
 * from the start. When Vert.x has told what the client speaks, {@link #attach} puts it behind the
 * decoder, where it sees requests begin and end.
 *
 * <p>Vert.x tells it with the first head, unless there is TLS. So it looks for folded lines in that
 * head itself, and puts a decoder in place that does so for all others as soon as the one that is
 * there has read a whole request.
 */
final class ConnectionGuard extends ChannelDuplexHandler {
  private static final byte[] TOO_SLOW = answer("408 Request Timeout");
  private static final byte[] BROKEN = answer("400 Bad Request");
  private static final byte[] FAILED = answer("500 Internal Server Error");

  private static final String DECODER = "httpDecoder";
  private static final String UPGRADE = "h2c";

  private final Connections connections;
  private @Nullable FoldedLineScan firstHead = new FoldedLineScan();
  private boolean introduced;
  private boolean sawBytes;
  private @Nullable HttpServerOptions strictNext;
  private @Nullable Future<?> deadline;
  private boolean attached;
  private boolean withinRequest;
  private boolean sawRequest;
  private boolean withinResponse;

  /** Whether the rest of what the client sends is thrown away, because its place is lost. */
  private boolean deaf;

  /** How many requests have begun whose answers have not ended. */
  private int owed;

  /** Whether bytes of a next head came while an answer was owed. */
  private boolean headWaits;

  private @Nullable IdleCheck idle;

  ConnectionGuard(Connections connections) {
    this.connections = connections;
  }

  private static byte[] answer(String status) {
    return ("HTTP/1.1 " + status + "\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
        .getBytes(US_ASCII);
  }

  /** To be called for each connection that a server tells of. */
  static void attach(
      HttpConnection connection, HttpServerOptions options, FailedRequests failures) {
    ChannelHandlerContext http = ((HttpServerConnection) connection).channelHandlerContext();
    ConnectionGuard own = http.pipeline().get(ConnectionGuard.class);
    if (own == null) {
      return;
    }
    own.stop();
    http.pipeline().remove(own);
    if (http.handler() instanceof Http2ConnectionHandler) {
      StreamGuard.attach(http, failures);
      own.connections.beginHttp2(connection, http.channel());
      return;
    }
    ConnectionGuard next = new ConnectionGuard(own.connections);
    next.attached = true;
    next.introduced = true;
    next.firstHead = null;
    if (own.sawBytes) {
      // The head that made Vert.x tell of the connection is on its way through the pipeline.
      next.strictNext = options;
    } else {
      http.pipeline().replace(DECODER, DECODER, new StrictRequestDecoder(options));
    }
    http.pipeline().addBefore(http.name(), "guard", next);
    next.idle = IdleCheck.takeOver(http.pipeline().context(next));
    connection.exceptionHandler(
        failure -> {
          if (!next.deaf && isOurs(failure)) {
            failures.note(failure);
            next.end(http.pipeline().context(next), FAILED);
          }
        });
  }

  /** Whether something failed here, rather than the client or the network. */
  private static boolean isOurs(Throwable failure) {
    return !(failure instanceof IOException
        || failure instanceof DecoderException
        || failure instanceof VertxException);
  }

  /**
   * Shows Vert.x the first bytes one by one, until it knows what the client speaks. Then there is a
   * place for what has to come before its handlers.
   *
   * @return whether it knows
   */
  private static boolean introduce(ChannelHandlerContext connection, ByteBuf bytes) {
    ChannelPipeline pipeline = connection.pipeline();
    while (bytes.isReadable() && pipeline.get(Http1xOrH2CHandler.class) != null) {
      connection.fireChannelRead(bytes.readRetainedSlice(1));
    }
    if (pipeline.get(UPGRADE) != null) {
      pipeline.addBefore(UPGRADE, null, new UpgradeCheck());
    }
    return pipeline.get(Http1xOrH2CHandler.class) == null;
  }

  /** Whether there is a folded line in the first head of a connection. */
  private boolean isFolded(ChannelHandlerContext connection, Object message) {
    if (!sawBytes && connection.pipeline().get(SslHandler.class) != null) {
      firstHead = null;
    }
    if (firstHead == null || !(message instanceof ByteBuf bytes)) {
      return false;
    }
    sawBytes = true;
    return firstHead.finds(bytes, bytes.readerIndex(), bytes.writerIndex());
  }

  private void beStrict(ChannelHandlerContext connection, HttpServerOptions options) {
    strictNext = null;
    if (connection.pipeline().get(DECODER) != null) {
      connection.pipeline().replace(DECODER, DECODER, new StrictRequestDecoder(options));
    }
  }

  @Override
  public void handlerAdded(ChannelHandlerContext connection) {
    if (!attached) {
      start(connection);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext connection, Object message) {
    if (deaf) {
      ReferenceCountUtil.release(message);
      return;
    }
    if (message == LastHttpContent.EMPTY_LAST_CONTENT) {
      // The end of nearly every request: what follows would only find that out slowly.
      withinRequest = false;
      sawRequest = true;
      connection.fireChannelRead(message);
      if (strictNext != null) {
        beStrict(connection, strictNext);
      }
      return;
    }
    if (message instanceof HttpRequest request) {
      if (request.decoderResult().isSuccess() && HostText.isBad(request.headers())) {
        request.setDecoderResult(
            DecoderResult.failure(new IllegalArgumentException("the host is none")));
      }
      begin();
      withinRequest = !(message instanceof LastHttpContent);
      // What follows a head that is malformed is no request, whatever a decoder makes of it.
      deaf = request.decoderResult().isFailure();
      connection.fireChannelRead(message);
      if (!deaf && strictNext != null && message instanceof LastHttpContent) {
        beStrict(connection, strictNext);
      }
      return;
    }
    if (message instanceof HttpContent body
        && !(message instanceof HttpMessage)
        && body.decoderResult().isFailure()) {
      ReferenceCountUtil.release(message);
      end(connection, BROKEN);
      return;
    }
    if (!attached && isFolded(connection, message)) {
      ReferenceCountUtil.release(message);
      end(connection, BROKEN);
      return;
    }
    if (!introduced && message instanceof ByteBuf bytes) {
      introduced = introduce(connection, bytes);
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
    if (strictNext != null && message instanceof LastHttpContent) {
      beStrict(connection, strictNext);
    }
  }

  /** A head was read. */
  private void begin() {
    withinRequest = true;
    sawRequest = true;
    headWaits = false;
    owed++;
    stop();
    if (connections.isDraining()) {
      connections.requestCame();
    }
  }

  /**
   * Bytes came. If no request did, they are the beginning of one. Its time begins when all others
   * are answered: a client may send it early, and what it waits for may take long.
   */
  @Override
  public void channelReadComplete(ChannelHandlerContext connection) {
    if (attached && !sawRequest && !withinRequest && deadline == null) {
      if (owed > 0) {
        headWaits = true;
      } else {
        beginHead(connection);
      }
    }
    sawRequest = false;
    moved();
    connection.fireChannelReadComplete();
  }

  @Override
  public void write(ChannelHandlerContext connection, Object message, ChannelPromise promise) {
    if (message == LastHttpContent.EMPTY_LAST_CONTENT) {
      responded(connection);
    } else if (message instanceof FullHttpResponse whole) {
      if (!isInterim(whole.status().code())) {
        responded(connection);
      }
    } else if (message instanceof LastHttpContent) {
      responded(connection);
    } else {
      withinResponse = true;
    }
    moved();
    if (connections.isDraining()) {
      writeLast(connection, message, promise);
    } else {
      var unused = connection.write(message, promise);
    }
  }

  /** While the process shuts down, an answer is the last one of its connection, and says so. */
  private void writeLast(ChannelHandlerContext connection, Object message, ChannelPromise promise) {
    boolean ends = owed == 0 && message instanceof LastHttpContent;
    if (message instanceof HttpResponse head
        && head.status().code() >= 200
        && owed == (ends ? 0 : 1)) {
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

  /** Whether a status only says that the answer is still to come. */
  private static boolean isInterim(int status) {
    return status < 200 && status != 101;
  }

  private void responded(ChannelHandlerContext connection) {
    withinResponse = false;
    if (owed > 0) {
      owed--;
    }
    if (owed == 0 && headWaits) {
      headWaits = false;
      beginHead(connection);
    }
  }

  private void moved() {
    if (idle != null) {
      idle.moved();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext connection) {
    stop();
    connection.fireChannelInactive();
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext connection) {
    if (idle != null) {
      idle.stop();
    }
  }

  private void beginHead(ChannelHandlerContext connection) {
    if (connection.pipeline().get(DECODER) != null) {
      start(connection);
    } else {
      // The connection has gone over to another protocol.
      attached = false;
    }
  }

  private void start(ChannelHandlerContext connection) {
    deadline =
        connection
            .executor()
            .schedule(
                () -> end(connection, TOO_SLOW), connections.headMillis(), TimeUnit.MILLISECONDS);
  }

  private void stop() {
    if (deadline != null) {
      deadline.cancel(false);
      deadline = null;
    }
  }

  private void end(ChannelHandlerContext connection, byte[] answer) {
    deaf = true;
    ChannelPipeline pipeline = connection.pipeline();
    boolean next = !withinResponse && owed == (withinRequest ? 1 : 0);
    // The decoder is behind TLS and before the encoder, which has no part in this answer.
    ChannelHandlerContext codec = pipeline.context(DECODER);
    if (!next || (codec == null && pipeline.get(SslHandler.class) != null)) {
      // What would be written here is no part of what the client is reading, or would be taken for
      // the answer to another request. One that has been written already has to arrive.
      connection.flush();
      close(connection);
      return;
    }
    linger(pipeline);
    (codec == null ? pipeline.firstContext() : codec)
        .writeAndFlush(Unpooled.wrappedBuffer(answer))
        .addListener(ChannelFutureListener.CLOSE);
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
