package io.penstock.server.http;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.impl.HttpServerConnection;
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
 */
final class ConnectionGuard extends ChannelDuplexHandler {
  private static final byte[] TOO_SLOW = answer("408 Request Timeout");
  private static final byte[] BROKEN = answer("400 Bad Request");

  private final long millis;
  private @Nullable Future<?> deadline;
  private boolean attached;
  private boolean withinRequest;
  private boolean sawRequest;
  private boolean withinResponse;
  private @Nullable IdleCheck idle;

  ConnectionGuard(long millis) {
    this.millis = millis;
  }

  private static byte[] answer(String status) {
    return ("HTTP/1.1 " + status + "\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
        .getBytes(US_ASCII);
  }

  /** To be called for each connection that a server tells of. */
  static void attach(HttpConnection connection) {
    ChannelHandlerContext http = ((HttpServerConnection) connection).channelHandlerContext();
    ConnectionGuard own = http.pipeline().get(ConnectionGuard.class);
    if (own == null) {
      return;
    }
    own.stop();
    http.pipeline().remove(own);
    if (http.pipeline().get(HttpRequestDecoder.class) != null) {
      // The head that made Vert.x tell of the connection is on its way through the pipeline.
      ConnectionGuard next = new ConnectionGuard(own.millis);
      next.attached = true;
      http.pipeline().addBefore(http.name(), "guard", next);
      next.idle = IdleCheck.takeOver(http.pipeline().context(next));
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
    if (message == LastHttpContent.EMPTY_LAST_CONTENT) {
      // The end of nearly every request: what follows would only find that out slowly.
      withinRequest = false;
      sawRequest = true;
      connection.fireChannelRead(message);
      return;
    }
    if (message instanceof HttpRequest request && request.decoderResult().isSuccess()) {
      withinRequest = true;
      sawRequest = true;
      stop();
      connection.fireChannelRead(message);
      return;
    }
    if (message instanceof HttpContent body
        && !(message instanceof HttpMessage)
        && body.decoderResult().isFailure()) {
      ReferenceCountUtil.release(message);
      end(connection, BROKEN);
      return;
    }
    if (message instanceof HttpObject) {
      withinRequest = !(message instanceof LastHttpContent);
      sawRequest = true;
      stop();
    }
    connection.fireChannelRead(message);
  }

  /** Bytes came. If no request did, they are the beginning of one. */
  @Override
  public void channelReadComplete(ChannelHandlerContext connection) {
    if (attached && !sawRequest && !withinRequest && deadline == null) {
      start(connection);
    }
    sawRequest = false;
    moved();
    connection.fireChannelReadComplete();
  }

  @Override
  public void write(ChannelHandlerContext connection, Object message, ChannelPromise promise) {
    withinResponse = !(message instanceof LastHttpContent);
    moved();
    var unused = connection.write(message, promise);
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

  private void start(ChannelHandlerContext connection) {
    deadline =
        connection
            .executor()
            .schedule(() -> end(connection, TOO_SLOW), millis, TimeUnit.MILLISECONDS);
  }

  private void stop() {
    if (deadline != null) {
      deadline.cancel(false);
      deadline = null;
    }
  }

  private void end(ChannelHandlerContext connection, byte[] answer) {
    if (withinResponse || connection.pipeline().get(SslHandler.class) != null) {
      // What would be written here is no part of what the client is reading.
      var unused = connection.close();
      return;
    }
    connection.pipeline().addFirst(new LingeringClose());
    connection
        .pipeline()
        .firstContext()
        .writeAndFlush(Unpooled.wrappedBuffer(answer))
        .addListener(ChannelFutureListener.CLOSE);
  }
}
